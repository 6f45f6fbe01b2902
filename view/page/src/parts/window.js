// Of a long list, the part that is in view: only that is in the document.
import { useLayoutEffect, useState } from "preact/hooks";

const AROUND = 8; // rows above and below those in view

// Gives the first row and how many there are to draw, and what to call when the list is scrolled. `anew` is a list of
// what makes another list of it.
export function useWindow(box, height, anew) {
  const [view, setView] = useState({ from: 0, count: 24 + 2 * AROUND });
  const look = () => {
    if (!box.current) return; // the last event of a removed element
    const { scrollTop, clientHeight } = box.current;
    const from = Math.max(0, Math.floor(scrollTop / height) - AROUND);
    const count = Math.ceil(clientHeight / height) + 2 * AROUND;
    setView((seen) => (seen.from === from && seen.count === count ? seen : { from, count }));
  };
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, anew);
  return [view, look];
}
