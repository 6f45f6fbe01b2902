// An icicle plot of the call paths. The width of a box shows its value; its colour shows the imbalance of the ranks, or
// the change since another experiment.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { css, inkOn, signColour, sizeColour } from "../colours.js";
import { html } from "../html.js";
import { Icicle, PathChanges } from "../model/icicle.js";
import { placeOf, selectedPaths } from "../model/regions.js";
import { written } from "../model/units.js";
import { svgText } from "./copied_picture.js";
import { Copies } from "./copies.js";
import { Scale } from "./scale.js";

const ROW = 22; // height of a box in pixels
const LEAST = 2; // minimum width of a box in pixels
const LETTER = 6.8; // width of a letter in pixels
const TOP = 0.5; // relative change at the end of the scale
const [STEP, WIDE] = [0.1, 0.01]; // the scale of imbalances ends at a multiple of STEP, and covers all boxes with at least the share WIDE of the width
const PLAIN = [159, 197, 222]; // colour of all boxes if nothing can be compared, as with a single rank
const NEUTRAL = [170, 178, 188]; // colour of boxes without imbalance or change

export function IcicleTab({ browser, experiment, difference, other, select }) {
  const box = useRef(null);
  const [width, setWidth] = useState(0);
  const [inverted, setInverted] = useState(false);
  const [focus, setFocus] = useState(null);
  const [at, point] = useState(null);
  const [pattern, setPattern] = useState("");
  const [by, setBy] = useState(difference ? "change" : "imbalance");
  const unit = browser.sums.metrics[browser.metrics[0]].unit;
  const icicle = useMemo(() => (browser.summed ? new Icicle(browser, experiment, inverted) : null), [browser.metrics.join(), browser.sums, browser.panes.metrics, experiment, inverted]);
  const changes = useMemo(() => difference && PathChanges.of(difference, termsOf(browser)), [difference, browser.panes.metrics]);
  const there = Boolean(icicle?.whole);
  const isDifference = experiment.head.difference;
  const signed = experiment.signed || isDifference;
  const wish = signed ? "sign" : by === "change" && changes ? "change" : "imbalance";
  const { boxes, top, mode } = useMemo(() => (icicle && width ? coloured(icicle.placed(focus, width, LEAST), { icicle, wish, changes, width }) : { boxes: [], top: STEP, mode: wish }), [icicle, width, focus, wish, changes]);

  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.floor(contentRect.width)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [there]);
  useEffect(() => point(null), [icicle, focus]);

  if (!there) return html`<p class="remark">There are no boxes: values of ${browser.named} are 0 or cannot be summed.</p>`;
  const nameOf = ({ region }) => experiment.head.regions[region][0];
  const pathOf = (chain) => (inverted ? chain.toReversed() : chain).map(nameOf).join(" › ");
  const amount = (value) => written(value, unit).text;
  const percent = (share) => written({ amount: 100 * share, gap: "" }, "%").text;
  const looks = (region) => `${experiment.head.regions[region][0]} ${placeOf(experiment.head.regions[region])}`.toLowerCase().includes(pattern.toLowerCase());
  const found = pattern ? icicle.shareOf(looks) : null;
  const current = boxes.find(({ key }) => key === at);
  const told = current && tell(current);
  const selected = new Set(selectedPaths(browser, experiment));
  const focused = icicle.chainTo(focus).length > 0 ? focus : null;
  const go = (each) => {
    setFocus(each.key === focused ? each.above : each.key);
    select(each.path);
  };

  function tell(each) {
    const spread = icicle.spreadOf(each);
    const place = placeOf(experiment.head.regions[each.region]);
    const ranks = spread?.count > 1 ? `; per ${experiment.kind}: ${[["minimum", "least"], ["mean", "mean"], ["maximum", "most"]].map(([title, what]) => `${title} ${written({ amount: spread[what], gap: "" }, unit).text}`).join(", ")}` : "";
    return `${nameOf(each)}${place ? ` (${place})` : ""}: ${amount(each.value)}, ${percent(each.size / icicle.whole)} of ${browser.named}${ranks}${each.said ? `; ${each.said}` : ""}`;
  }

  function onKeyDown(event) {
    if (event.key === "Backspace") setFocus(null);
    else if ((event.key === "Enter" || event.key === " ") && current) go(current);
    else {
      const next = beside(boxes, current, event.key);
      if (next === undefined) return;
      if (next) point(next.key);
    }
    event.preventDefault();
  }

  const rows = boxes.reduce((most, { row }) => Math.max(most, row + 1), 1);
  const titles = { imbalance: `imbalance of the ${experiment.kind}s: how far the mean is below the largest value`, change: `change since ${other}`, sign: isDifference ? "sum of the changes in each box" : "sum of the values in each box" };
  const [low, high] = mode === "change" ? ["more, slower", "less, faster"] : isDifference ? ["losses", "gains"] : ["less than 0", "more than 0"];
  const scale = mode === "imbalance" ? { low: "0", high: `${percent(top)} or more`, colour: sizeColour } : { low, high, colour: (place) => signColour(2 * place - 1) };
  return html`
    <div class="map-tools">
      <label><input type="checkbox" checked=${inverted} onChange=${(event) => { setInverted(event.currentTarget.checked); setFocus(null); }} /> inverted: callers below</label>
      ${changes && !signed && html`<label>colour <select value=${wish} onChange=${(event) => setBy(event.currentTarget.value)}><option value="imbalance">imbalance</option><option value="change">change since ${other}</option></select></label>`}
      <label>highlight <input type="search" value=${pattern} onInput=${(event) => setPattern(event.currentTarget.value)} /></label>
      <button aria-disabled=${!focused} onClick=${() => setFocus(null)}>the whole program</button>
      <span class="remark" role="status">${found && (found.regions ? `${found.regions} region${found.regions === 1 ? "" : "s"}, with callees ${percent(found.share)} of ${browser.named}` : "no region's name contains this text")}</span>
    </div>
    <p class="remark">Width: ${browser.named}, ${inverted ? "excluding callees in the first row, and divided among callers below" : "including callees, which are below"}. Boxes narrower than ${LEAST} pixels are left out.</p>
    <div class="icicle-room" ref=${box}>
      <svg class="icicle" width=${width} height=${rows * ROW} role="img" tabindex="0" onMouseLeave=${() => point(null)} onKeyDown=${onKeyDown}
        aria-label=${`Call paths by ${browser.named}; arrows move, Enter shows a box in full width, Backspace shows all. ${told ?? ""}`}>
        ${boxes.map((each) => html`<g key=${each.key} class=${`${each.key === at ? "at" : ""} ${selected.has(each.path) && !inverted ? "selected" : ""} ${pattern && !looks(each.region) ? "faint" : ""}`}
          onMouseEnter=${() => point(each.key)} onClick=${() => go(each)}>
          <rect x=${each.left} y=${each.row * ROW} width=${each.wide - 1} height=${ROW - 1} fill=${css(each.colour)} />
          <text x=${each.left + 4} y=${each.row * ROW + 15} fill=${inkOn(each.colour)}>${fitted(`${nameOf(each)}  ${amount(each.value)}`, each.wide)}</text>
        </g>`)}
      </svg>
    </div>
    ${mode !== "plain" && html`<${Scale} title=${titles[mode]} ...${scale} neutral=${boxes.some(({ colour }) => colour === NEUTRAL) && css(NEUTRAL)} />`}
    <p class="told" aria-live="polite">${told ?? "Point at a box, or use the arrow keys, to read its values. Click a box to select its call path and show it in full width."}</p>
    <${Copies} name="icicle" svg=${() => svgText(box.current.querySelector("svg"))} rows=${() => [
      ["call path", "depth", `${browser.named} (${unit})`, "share of the program"],
      ...Array.from(icicle.all(), ({ box: each, chain }) => [pathOf(chain), chain.length - 1, each.value.amount, each.size / icicle.whole]),
    ]} />
  `;
}

// Returns the names of the selected metrics, with the factor 1, and of the parts to subtract, with the factor -1.
const termsOf = (browser) => browser.metrics.flatMap((metric) => [[browser.sums.metrics[metric].name, 1], ...browser.partsOf(metric).map((part) => [browser.sums.metrics[part].name, -1])]);

// Returns the part of a text that fits into a box.
function fitted(text, wide) {
  const room = Math.floor((wide - 10) / LETTER);
  return text.length <= room ? text : room > 2 ? `${text.slice(0, room - 1)}…` : "";
}

// Returns the boxes with their colours, explained in words (`said`); the end of the scale of imbalances (`top`); and
// what the colours show (`mode`): `wish`, or nothing ("plain") if no box has values of several locations.
function coloured(boxes, { icicle, wish, changes, width }) {
  const spreads = wish === "imbalance" ? boxes.map((box) => icicle.spreadOf(box)) : [];
  const mode = wish === "imbalance" && !spreads.some((spread) => spread?.count > 1) ? "plain" : wish;
  const imbalances = spreads.map(imbalanceOf);
  const largest = boxes.reduce((most, { wide }, place) => (wide >= WIDE * width ? Math.max(most, imbalances[place] || 0) : most), 0);
  const top = STEP * Math.max(1, Math.ceil(largest / STEP));
  return { top, mode, boxes: boxes.map((box, place) => ({ ...box, ...colourOf(mode, box, { changes, top, imbalance: imbalances[place] }) })) };
}

// Returns how far the mean of several locations is below the largest value, from 0 to 1; NaN if unknown.
const imbalanceOf = (spread) => (spread?.count > 1 && spread.most > 0 ? Math.max(0, 1 - spread.mean / spread.most) : NaN);

function colourOf(mode, box, { changes, imbalance, top }) {
  if (mode === "plain") return { colour: PLAIN, said: "" };
  if (mode === "sign") return { colour: signColour((box.value.amount ?? 0) / box.size), said: "" };
  if (mode === "change") {
    const change = changes.changeOf(box);
    if (!change || !(change.gain || change.before)) return { colour: NEUTRAL, said: "change unknown" };
    const { gain, before } = change;
    const said = before ? `change ${gain < 0 ? "+" : "−"}${written({ amount: Math.abs((100 * gain) / before), gap: "" }, "%").text}` : "new";
    return { colour: signColour((before ? gain / Math.abs(before) : -1) / TOP), said };
  }
  if (imbalance !== imbalance) return { colour: NEUTRAL, said: "" };
  return { colour: sizeColour(imbalance / top), said: `imbalance ${written({ amount: 100 * imbalance, gap: "" }, "%").text}` };
}

// Returns the box to which an arrow key leads; null if there is none, undefined for other keys.
function beside(boxes, from, key) {
  if (!["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(key)) return undefined;
  if (!from) return boxes[0] ?? null;
  if (key === "ArrowUp") return boxes.find((each) => each.key === from.above) ?? null;
  if (key === "ArrowDown") return boxes.find((each) => each.above === from.key) ?? null;
  const row = boxes.filter((each) => each.row === from.row);
  return row[row.indexOf(from) + (key === "ArrowRight" ? 1 : -1)] ?? null;
}
