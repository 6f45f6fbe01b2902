// The source of the selection, with advice at its lines. Coloured bands mark nested regions and show their values.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { css, sizeColour } from "../colours.js";
import { html } from "../html.js";
import { atLine, heaviestPath, nested, regionSums, selectedPaths } from "../model/regions.js";
import { written } from "../model/units.js";
import { useWindow } from "./window.js";

const LINE = 20; // height of a line in pixels; keep equal to --line in page.css
const BANDS = 8; // maximum number of nested bands

export function SourceView({ browser, experiment, sources, findings, select }) {
  const [all, setAll] = useState(true);
  const box = useRef(null);
  const paths = selectedPaths(browser, experiment);
  const scope = useMemo(() => paths, [browser.panes.program]);
  const region = experiment.trees.flat.home[paths[0]];
  const [away, setAway] = useState(null); // the line that the reader opened from the list of advice; ignored after another region is selected
  const [, , ofRegion, , firstOfRegion, lastOfRegion] = experiment.head.regions[region];
  const { file, first, last } = away?.region === region ? away : { file: ofRegion, first: firstOfRegion, last: lastOfRegion };
  const source = sources[file];
  const named = useMemo(() => placesOf(findings, paths), [findings, browser]);
  const [view, look] = useWindow(box, LINE, [file]);
  const unit = browser.sums.metrics[browser.metrics[0]].unit;
  const costs = useMemo(() => regionSums(browser, experiment, all ? null : scope), [browser, all]);
  const bands = useMemo(() => nested(experiment.head.regions, file), [experiment, file]);
  const tips = useMemo(() => tipsOf(findings, file), [findings, file]);
  const top = useMemo(() => bands.reduce((most, { number }) => Math.max(most, Math.abs(costs[number]) || 0), 0), [bands, costs]);

  useLayoutEffect(() => {
    if (!box.current) return;
    box.current.scrollTop = Math.max(0, (first - 4) * LINE);
    look();
  }, [file, first, source]);

  const label = html`<h2 class="pane-title"><span>${file ? atLine(file, first) : "source"}</span></h2>`;
  if (!source?.lines) {
    const name = experiment.head.regions[region][0];
    const why = !file ? `${name} has no source file, because it belongs to a library.` : (source?.warning ?? "The source is not in this page.");
    return html`<section class="source" aria-label="source">${label}<p class="remark">${why}</p></section>`;
  }
  const from = Math.min(view.from, Math.max(0, source.lines.length - view.count));
  const lines = source.lines.slice(from, from + view.count);
  const amount = (number) => written({ amount: costs[number] === costs[number] ? costs[number] : null, gap: "" }, unit).text;
  const width = Math.min(BANDS, 1 + bands.reduce((deepest, { depth }) => Math.max(deepest, depth), 0));
  const choose = (number) => select(heaviestPath(browser, experiment, number, scope));
  const row = (text, place) => {
    const line = from + place + 1;
    const here = bands.filter((band) => band.first <= line && line <= band.last);
    const starts = here.filter((band) => band.first === line);
    const columns = Array.from({ length: width }, (_, depth) => here.findLast((band) => Math.min(band.depth, width - 1) === depth));
    const inner = here.at(-1);
    const tip = tips.get(line);
    const marked = line >= first && line <= last;
    return html`
      <div
        key=${line}
        class=${`line ${marked ? "marked" : ""} ${line === first ? "first" : ""} ${tip ? "advised" : ""}`}
        title=${tip?.texts.join("\n")}
        onClick=${inner && (() => choose(inner.number))}
      >
        <span class="bands" aria-hidden="true">${columns.map(
          (band) => html`<span
            style=${{ backgroundColor: band && costs[band.number] === costs[band.number] ? css(sizeColour(top ? Math.abs(costs[band.number]) / top : 0)) : undefined }}
            class=${band ? "band" : ""}
            title=${band && `${experiment.head.regions[band.number][0]}: ${amount(band.number)}`}
          ></span>`,
        )}</span
        ><span class="cost">${starts.length ? amount(starts.at(-1).number) : ""}</span
        ><span class="number">${line}</span><code>${text || " "}</code
        >${tip?.firsts.map((each) => html`<span class="tip">${each}</span>`)}
      </div>
    `;
  };
  return html`
    <section class="source" aria-label="source">
      ${label}
      <div class="source-tools">
        <label><input type="checkbox" checked=${!all} onChange=${(event) => setAll(!event.currentTarget.checked)} /> only below the selected call path</label>
        ${named.length > 0 && html`<span class="named">to try: ${named.map(
          ([name, line]) => html`<button aria-pressed=${name === file && line === first} onClick=${() => setAway({ region, file: name, first: line, last: line })}>${atLine(name, line)}</button>`,
        )}</span>`}
      </div>
      ${source.warning && html`<p class="remark warning">${source.warning}</p>`}
      <div class="text" ref=${box} onScroll=${look} tabindex="0" role="region" aria-label=${`${file}, lines ${first} to ${last} are selected`}>
        <div style=${{ height: `${source.lines.length * LINE}px` }}>
          <div class="lines" style=${{ transform: `translateY(${from * LINE}px)` }}>${lines.map(row)}</div>
        </div>
      </div>
    </section>
  `;
}

// Maps each line that advice mentions to the advice. The text is displayed only at the first of these lines.
function tipsOf(findings, file) {
  const found = new Map();
  for (const { text, places } of findings.flatMap(({ advice }) => advice)) {
    const lines = [...new Set(places.filter(([name]) => name === file).map(([, line]) => line))];
    for (const line of lines) {
      if (!found.has(line)) found.set(line, { texts: [], firsts: [] });
      const tip = found.get(line);
      if (tip.texts.includes(text)) continue;
      tip.texts.push(text);
      if (line === lines[0]) tip.firsts.push(text);
    }
  }
  return found;
}

// Returns the source lines that are mentioned in the advice for some call paths.
function placesOf(findings, paths) {
  const places = findings.filter(({ path }) => paths.includes(path)).flatMap(({ advice }) => advice.flatMap((each) => each.places));
  return [...new Map(places.map((each) => [each.join(":"), each])).values()];
}
