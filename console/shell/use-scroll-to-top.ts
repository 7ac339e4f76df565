// Another page begins at its top. The browser itself restores the position on the way back.
import { useEffect } from 'react';

export function useScrollToTop(): void {
  useEffect(() => {
    let path = location.pathname;
    const onPush = () => {
      if (location.pathname !== path) scrollTo(0, 0);
      path = location.pathname;
    };
    const onPop = () => {
      path = location.pathname;
    };
    // wouter reports its navigations by this event.
    addEventListener('pushState', onPush);
    addEventListener('popstate', onPop);
    return () => {
      removeEventListener('pushState', onPush);
      removeEventListener('popstate', onPop);
    };
  }, []);
}
