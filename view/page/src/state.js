// The view as one immutable state: the selected, open and shown nodes, and everything else that the reader can change.
import { fragmentOf, paneOf, piecesOf, timeOf, VALUES } from "./address.js";
import { Browser } from "./model/browser.js";
import { Pane } from "./model/pane.js";
import { IntervalSums, RankSums } from "./model/part_sums.js";
import { TABS } from "./parts/tabs.js";

export const BASES = [null, "root", "selection", "other"];
const MOST_RANKS = 64; // maximum number of ranks that a finding selects; if it has more, it selects none

export const start = (page) => {
  const experiment = page.experiments.run;
  return { experiment: "run", browser: experiment.start(), basis: null, flat: false, filtered: false, grouping: experiment.grouping, tab: page.tab, time: timeOf(page.times, new Map()), source: page.hasSources, calls: null };
};

// Returns the initial state of the page: the state that the fragment describes or, without a fragment, the first
// finding. `finding`: the number of the shown finding, or -1. `asked`: whether the fragment contains that number.
export function opening(page, fragment) {
  const pieces = piecesOf(fragment);
  const asked = pieces.has("n");
  const number = asked ? Number(pieces.get("n")) - 1 : fragment ? -1 : 0;
  const found = page.findings[number];
  if (found) return { state: { ...start(page), browser: browserOf(page, found) }, finding: number, asked };
  return { state: fragment && !asked ? stateOf(page, pieces) : start(page), finding: -1, asked: false };
}

// Loads the values that a state shows.
export async function load(page, state) {
  const { browser, filtered } = state;
  const range = intervalOf(page, state);
  if (range) await page.times[state.time.trace].load([]);
  await browser.sums.load(filtered || range ? browser.sums.metrics.keys() : browser.metrics);
}

// Returns the state that a fragment describes.
export function stateOf(page, pieces) {
  const name = pieces.get("e") === "difference" && page.experiments.difference ? "difference" : "run";
  const experiment = page.experiments[name];
  const { panes, sums } = experiment.start();
  const flat = pieces.get("f") === "flat";
  const grouping = Object.hasOwn(experiment.trees.systems, pieces.get("g") ?? "") ? pieces.get("g") : experiment.grouping;
  const program = flat ? new Pane(experiment.trees.flat, { selected: [experiment.trees.flat.home[[...panes.program.selected][0]]] }) : panes.program;
  const system = grouping === experiment.grouping ? panes.system : new Pane(experiment.trees.systems[grouping]);
  const browser = new Browser(sums, { metrics: paneOf(panes.metrics, pieces, "m"), program: paneOf(program, pieces, "c"), system: paneOf(system, pieces, "s") });
  const basis = BASES.find((each) => VALUES[each ?? "absolute"] === pieces.get("v")) ?? null;
  const tab = TABS.some(([each]) => each === pieces.get("t")) ? pieces.get("t") : null;
  const filtered = pieces.get("r") === "only";
  return ofTime(page, { experiment: name, browser, basis: basis === "other" && !page.other ? null : basis, flat, filtered, grouping, tab, time: timeOf(page.times, pieces), source: { on: true, off: false }[pieces.get("src")] ?? page.hasSources, calls: null });
}

// Returns a state with the same selection in another experiment; nodes that do not exist there are left out.
export function carried(page, seen, name) {
  const pieces = piecesOf(fragmentOf(seen));
  for (const key of ["mo", "co", "so", "mu", "cu", "ti"]) pieces.delete(key);
  pieces.set("e", name);
  pieces.delete("g");
  return stateOf(page, pieces);
}

// Returns the browser that shows a finding: with its metric, call path and ranks selected.
export function browserOf(page, { metric, withoutParts, path, locations }) {
  const experiment = page.experiments.run;
  let browser = experiment.start();
  const node = experiment.head.metrics.findIndex(({ name }) => name === metric);
  if (node >= 0) browser = browser.selecting("metrics", [node]);
  if (node >= 0 && withoutParts) browser = browser.opened("metrics", [node]);
  if (path !== null) browser = browser.closed("program", [path]).selecting("program", [path]);
  if (!experiment.head.large && locations.length && locations.length <= MOST_RANKS) browser = browser.selecting("system", nodesOf(browser.panes.system.tree, locations));
  return browser;
}

export const nodesOf = (tree, locations) => [...new Set(locations.map((location) => tree.home[location]))];

// Returns the locations whose values a state shows: those below the selected system nodes; null for all locations.
export function locationsOf({ browser: { sums, panes: { system } }, filtered }) {
  if (!filtered || sums.large) return null;
  const found = system.tree.cells(system.tree.walk(system.selected));
  return found.length && found.length < sums.columns ? found : null;
}

// Returns the only metric that has values for an interval of time; -1 if there is none.
const timeIn = ({ head }) => head.metrics.findIndex(({ name, aggregation }) => name === "wall_time" && aggregation === "sum");

// Returns the interval of time whose values a state shows; null for the whole run.
export function intervalOf(page, { experiment, time }) {
  const shown = page.experiments[experiment];
  const isOfTrees = experiment === "run" && !shown.head.large && timeIn(shown) >= 0 && page.times[time.trace]?.isInTrees;
  return isOfTrees ? time.range : null;
}

// Returns a state in which the time, without its parts, is selected if the state shows an interval.
export function ofTime(page, state) {
  if (!intervalOf(page, state)) return state;
  const metric = timeIn(page.experiments.run);
  return { ...state, browser: state.browser.closed("metrics", [metric]).selecting("metrics", [metric]) };
}

const kept = new WeakMap(); // sums → the part of them that was shown last, with its key

// Returns a part of some sums. It is computed again only if its key differs from that of the last part.
function partOf(sums, key, make) {
  if (kept.get(sums)?.key !== key) kept.set(sums, { key, made: make() });
  return kept.get(sums).made;
}

// Returns the browser of a state, with values for the state's interval of time.
export function inInterval(page, state) {
  const { browser, time } = state;
  const range = intervalOf(page, state);
  if (!range) return browser;
  const { sums } = browser;
  const seconds = () => page.times[time.trace].secondsIn(range, sums.paths, sums.columns);
  return browser.of(partOf(sums, `${time.trace} ${range}`, () => new IntervalSums(sums, timeIn(page.experiments.run), seconds())));
}

// Returns the browser of a state, with values for the state's interval of time and locations.
export function shownOf(page, state) {
  const browser = inInterval(page, state);
  const only = locationsOf(state);
  return only ? browser.of(partOf(browser.sums, only.join(), () => new RankSums(browser.sums, only))) : browser;
}
