import { html } from "../html.js";

const LEAST = 120; // minimum width of a column in pixels
const STEP = 24;

// A bar between two columns. The mouse or the arrow keys move it; a double click resets it.
export function Splitter({ name, width, setWidth }) {
  const onPointerDown = (event) => {
    event.preventDefault();
    const bar = event.currentTarget;
    const start = event.clientX;
    const from = bar.previousElementSibling.getBoundingClientRect().width;
    const move = (moved) => setWidth(Math.max(LEAST, from + moved.clientX - start));
    bar.setPointerCapture(event.pointerId);
    bar.addEventListener("pointermove", move);
    bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", move), { once: true });
  };
  const onKeyDown = (event) => {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (!step) return;
    event.preventDefault();
    setWidth(Math.max(LEAST, (width ?? event.currentTarget.previousElementSibling.getBoundingClientRect().width) + step));
  };
  return html`<div class="splitter" role="separator" tabindex="0" aria-orientation="vertical" aria-label=${`width of ${name}`}
    aria-valuenow=${Math.round(width ?? 300)} aria-valuemin=${LEAST} aria-valuemax="2000" onPointerDown=${onPointerDown} onKeyDown=${onKeyDown} onDblClick=${() => setWidth(null)}></div>`;
}
