// Follows the scroll position of the page, and gives the rows to render.
import { type RefObject, useEffect, useState } from 'react';
import { MAX_RENDERED_AT_ONCE, type RowWindow, rowWindow } from './row-window.ts';

/** The height of a row before one was measured. */
const USUAL_ROW_HEIGHT = 33;

export function useRowWindow(body: RefObject<HTMLTableSectionElement | null>, count: number) {
  const [window, setWindow] = useState<RowWindow>(() => ({
    first: 0,
    end: Math.min(count, MAX_RENDERED_AT_ONCE),
  }));
  const [rowHeight, setRowHeight] = useState(USUAL_ROW_HEIGHT);
  const isWindowed = count > MAX_RENDERED_AT_ONCE;
  useEffect(() => {
    if (!isWindowed) return;
    let frame = 0;
    const measure = () => {
      frame = 0;
      const element = body.current;
      if (!element) return;
      const row = element.querySelector<HTMLElement>('tr[data-row]');
      const height = row?.getBoundingClientRect().height || USUAL_ROW_HEIGHT;
      setRowHeight(height);
      const scrolled = -element.getBoundingClientRect().top;
      const next = rowWindow({ count, rowHeight: height, scrolled, viewHeight: innerHeight });
      setWindow((last) => (last.first === next.first && last.end === next.end ? last : next));
    };
    const onScroll = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    document.addEventListener('scroll', onScroll, { capture: true, passive: true });
    addEventListener('resize', onScroll);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener('scroll', onScroll, { capture: true });
      removeEventListener('resize', onScroll);
    };
  }, [body, count, isWindowed]);
  return isWindowed
    ? { ...window, end: Math.min(window.end, count), rowHeight }
    : { first: 0, end: count, rowHeight };
}
