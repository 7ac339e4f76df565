// The width of a picture on the page. A picture that is drawn for its width has texts of one size on a phone and on a desk.
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

const FIRST_WIDTH = 720;
const MIN_WIDTH = 280;

interface MeasuredWidth {
  readonly ref: RefObject<SVGSVGElement | null>;
  readonly width: number;
}

/** The width of the element in `ref`, which follows the page. */
export function useMeasuredWidth(): MeasuredWidth {
  const ref = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useLayoutEffect(() => {
    const element = ref.current?.parentElement;
    if (!element) return;
    const measure = () => setWidth(Math.max(Math.round(element.getBoundingClientRect().width), MIN_WIDTH));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}
