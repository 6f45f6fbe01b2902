// Keeps only the visible part of a long list in the document.
import { useLayoutEffect, useState } from "preact/hooks";

const AROUND = 8; // number of additional rows that are drawn on either side of the visible rows

// Returns the first row to draw and the number of rows, and a handler for scrolling. `height`: pixels per row. The rows
// are computed again when the reader scrolls, when the size of the box changes, or when a value in `anew` changes.
export function useWindow(box, height, anew) {
  const [view, setView] = useState({ from: 0, count: 24 + 2 * AROUND });
  const look = () => {
    if (!box.current) return; // an event may arrive after the element was removed
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
