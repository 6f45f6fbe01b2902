// A metric over time: a band from the smallest to the largest value of all locations, and a line for the mean.
import { markColour } from "../colours.js";
import { html } from "../html.js";
import { rate, titleOf } from "../model/time_lines.js";
import { Chart, drawLines } from "./chart.js";

const HEIGHT = 84; // height of the chart in pixels
const BAND = 0.22; // opacity of the line's colour in the band

export function MetricChart({ times, name, view, shared, intervals, last, onPoint }) {
  const unit = times.units.get(name);
  const { at } = shared;
  const said = summary(times, name, view);
  const here = at === null ? said : valuesAt(times, name, times.stepAt(at));
  const lines = times.head.marks.lines.filter(({ metric }) => metric === name);
  const of = (ink) => ({
    data: dataOf(times, name),
    height: HEIGHT,
    last,
    series: [{ width: 0 }, { width: 1.5, stroke: () => ink().line, paths: uPlot.paths.stepped({ align: 1 }) }, { width: 0 }].map((each) => ({ paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, ...each })),
    bands: [{ series: [3, 1], fill: () => faded(ink().line) }],
    axis: { space: 24, values: (_, splits) => splits.map((each) => rate(each, unit)) },
    range: (_, low, high) => [Math.min(0, low ?? 0), high > 0 ? 1.05 * high : 1],
    draw: (plot) => drawLines(plot, lines),
  });
  return html`
    <section class="time-line" aria-label=${name}>
      <h3><span>${titleOf(name, unit)}</span> <small>${here}</small></h3>
      <${Chart} times=${times} label=${`${name}, ${said}. Arrows move the cursor, with Shift they select; Enter zooms, Backspace shows all.`} view=${view} shared=${shared} intervals=${intervals} of=${of} anew=${[name, last]} onPoint=${onPoint} />
      ${lines.length > 0 && html`<ul class="swatches">${lines.map(({ label }, number) => html`<li><i class="swatch" style=${{ backgroundColor: markColour(number) }}></i>${label}</li>`)}</ul>`}
    </section>
  `;
}

// Describes the visible part of a chart in a few words.
export function summary(times, name, view) {
  const unit = times.units.get(name);
  const { least, mean, most, mostAt } = times.summary(name, times.stepsOf(view));
  if (mean !== mean) return "not known in this interval";
  return `mean ${rate(mean, unit)}, from ${rate(least, unit)} to ${rate(most, unit)} (at ${times.moment(mostAt)} s)`;
}

export function valuesAt(times, name, step) {
  const unit = times.units.get(name);
  const { least, mean, most } = times.numbers.get(name);
  if (mean[step] !== mean[step]) return "not known";
  return `mean ${rate(mean[step], unit)}${times.head.locations > 1 ? `, from ${rate(least[step], unit)} to ${rate(most[step], unit)}` : ""}`;
}

// Returns the values at the edges of steps; missing values are null. The last edge repeats the value of the last step.
function dataOf(times, name) {
  const { least, mean, most } = times.numbers.get(name);
  const held = (values) => Array.from({ length: times.steps + 1 }, (_, place) => {
    const value = values[Math.min(place, times.steps - 1)];
    return value === value ? value : null;
  });
  return [times.edges, held(least), held(mean), held(most)];
}

const faded = (colour) => colour.replace(/^rgb\((.*)\)$/, (_, parts) => `rgba(${parts}, ${BAND})`);
