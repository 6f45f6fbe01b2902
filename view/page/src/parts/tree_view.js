// One of the three trees. Only visible rows are in the document, so large trees are fast, too.
import { useLayoutEffect, useRef } from "preact/hooks";
import { css, sizeColour } from "../colours.js";
import { html } from "../html.js";
import { written } from "../model/units.js";
import { useWindow } from "./window.js";

export const ROW = 24; // height of a row in pixels; keep equal to --row in page.css
const DEEPEST = 16; // depth from which names are not indented further
const LONGEST = 300; // maximum length of a name in its tooltip

export function TreeView({ name, title, rows, focus, ranges, about, signed, gains, actions }) {
  const box = useRef(null);
  const [view, look] = useWindow(box, ROW, []);
  const at = Math.max(0, Math.min(focus, rows.length - 1));

  useLayoutEffect(() => {
    const { scrollTop, clientHeight } = box.current;
    if (at * ROW < scrollTop) box.current.scrollTop = at * ROW;
    else if ((at + 1) * ROW > scrollTop + clientHeight) box.current.scrollTop = (at + 1) * ROW - clientHeight;
    look();
  }, [at, rows]);

  const from = Math.min(view.from, Math.max(0, rows.length - view.count));
  const shown = Array.from({ length: Math.min(view.count, rows.length - from) }, (_, place) => from + place);
  const id = (place) => `${name}-${place}`;
  return html`
    <div
      class="tree"
      ref=${box}
      role="tree"
      id=${`tree-${name}`}
      aria-label=${title}
      aria-multiselectable="true"
      aria-activedescendant=${rows.length ? id(at) : undefined}
      tabindex="0"
      onScroll=${look}
      onKeyDown=${(event) => actions.key(event, rows, at)}
    >
      <div class="room" role="presentation" style=${{ height: `${rows.length * ROW}px` }}>
        <div class="rows" role="presentation" style=${{ transform: `translateY(${from * ROW}px)` }}>
          ${shown.map(
            (place) => html`<${Row}
              key=${place}
              id=${id(place)}
              row=${rows.row(place)}
              focused=${place === at}
              range=${ranges?.(rows.order[place])}
              about=${about?.(rows.order[place])}
              signed=${signed}
              gains=${gains}
              onClick=${(event) => actions.click(event, rows, place)}
            />`,
          )}
        </div>
      </div>
    </div>
  `;
}

const WHY = {
  "per rank": "known only for whole processes; the value is at the root of the call tree",
  "not summed": "not summed, because the sum would have no meaning; only a single call path on a single rank has a value",
};
const TOGGLES = { open: "▾", closed: "▸", leaf: "", folded: "…" };

function Row({ id, row, focused, range, about, signed, gains, onClick }) {
  const { text: exact, sign } = written(row.value, row.unit);
  const text = gains ? exact.replace(/^-/, "") : exact; // the mark shows the direction
  const missing = row.value.amount === null;
  const partial = row.value.gap === "partial";
  const relief = missing ? "none" : sign > 0 ? "raised" : sign < 0 ? "sunken" : "flat";
  const mark = (signed || gains) && sign ? (sign > 0 === !gains ? "▲" : "▼") : "";
  const colour = row.colour === null ? undefined : css(sizeColour(row.colour));
  const classes = ["row", row.state, row.selected ? "selected" : "", focused ? "focused" : ""].join(" ");
  const spoken = `${row.label}, ${text}${mark && gains ? (sign > 0 ? " less" : " more") : ""}${partial ? ", partly measured" : ""}`;
  return html`
    <div
      class=${classes}
      id=${id}
      role="treeitem"
      aria-level=${row.depth + 1}
      aria-posinset=${row.position}
      aria-setsize=${row.siblings}
      aria-selected=${row.selected}
      aria-expanded=${row.state === "leaf" || row.state === "folded" ? undefined : row.state === "open"}
      aria-label=${spoken}
      title=${about ?? (row.label.length > LONGEST ? `${row.label.slice(0, LONGEST)}…` : row.label)}
      onClick=${onClick}
    >
      <span class=${`square ${relief} ${row.value.gap === "not measured" ? "hatched" : ""}`} style=${{ backgroundColor: colour }}></span>
      <span class=${missing ? "value missing" : "value"} title=${WHY[row.value.gap]}>${mark && html`<span class=${sign > 0 ? "up" : "down"}>${mark}</span>`}${text}${partial && html`<span class="partial" title="some values were not measured">~</span>`}</span>
      <span class="bar"><span style=${{ width: `${100 * (row.part ?? 0)}%` }}></span></span>
      ${range !== undefined && html`<${Strip} range=${missing ? null : range} unit=${range?.unit} />`}
      <span class="name" style=${{ paddingLeft: `${Math.min(row.depth, DEEPEST) * 0.7}rem` }}
        ><span class="toggle" aria-hidden="true">${TOGGLES[row.state]}</span>${row.label}</span
      >
    </div>
  `;
}

// Draws a bar from the smallest to the largest value of all locations, with a tick at the mean.
function Strip({ range }) {
  if (!range) return html`<span class="strip"></span>`;
  const { least, mean, most, who, scale, unit } = range;
  const wide = scale.high - scale.low;
  const place = (value) => (wide > 0 ? (60 * (value - scale.low)) / wide : 0);
  const amount = (value) => written({ amount: value, gap: "" }, unit).text;
  const [first, last] = who ? [` (rank ${who.least})`, ` (rank ${who.most}), deviation ${amount(who.deviation)}`] : ["", ""];
  const said = `per location: minimum ${amount(least)}${first}, mean ${amount(mean)}, maximum ${amount(most)}${last}`;
  return html`
    <span class="strip" title=${said}>
      <svg width="62" height="12" viewBox="-1 0 62 12" aria-hidden="true">
        <line x1=${place(least)} x2=${place(most)} y1="6" y2="6" />
        <line x1=${place(mean)} x2=${place(mean)} y1="1" y2="11" />
      </svg>
    </span>
  `;
}
