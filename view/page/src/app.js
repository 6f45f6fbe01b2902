// The page below the verdict. The whole view is one immutable state, and each action replaces it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { fragmentOf, piecesOf, VALUES } from "./address.js";
import { html } from "./html.js";
import { DIMENSIONS } from "./model/browser.js";
import { Pane } from "./model/pane.js";
import { ranges } from "./model/ranges.js";
import { heaviestPath, selectedPaths } from "./model/regions.js";
import { Rows } from "./model/rows.js";
import { amount } from "./model/units.js";
import { Callers } from "./parts/callers.js";
import { Compare } from "./parts/compare.js";
import { Filter, namesOf } from "./parts/filter.js";
import { FlatProfile } from "./parts/flat_profile.js";
import { HeatMap } from "./parts/heat_map.js";
import { Help } from "./parts/help.js";
import { IcicleTab } from "./parts/icicle.js";
import { Legend } from "./parts/legend.js";
import { Made } from "./parts/made.js";
import { Messages } from "./parts/messages.js";
import { Roofline } from "./parts/roofline.js";
import { Search } from "./parts/search.js";
import { SourceView } from "./parts/source_view.js";
import { Splitter } from "./parts/splitter.js";
import { keyOf, TABS, Tabs } from "./parts/tabs.js";
import { Time } from "./parts/time.js";
import { Topology } from "./parts/topology.js";
import { ROW, TreeView } from "./parts/tree_view.js";
import { BASES, browserOf, carried, inInterval, intervalOf, load, locationsOf, nodesOf, ofTime, shownOf, start, stateOf } from "./state.js";

// `first`: the initial state, as returned by `opening`, with its values loaded.
export function App({ page, first }) {
  const [state, setState] = useState(first.state);
  const [focus, setFocus] = useState(() => aimed(page, { metrics: 0, program: 0, system: 0 }, first.state, DIMENSIONS));
  const [help, setHelp] = useState(false);
  const [finding, setFinding] = useState(first.finding);
  const [widths, setWidths] = useState({});
  const [failure, setFailure] = useState(null);
  const now = useRef(state);
  const lastTree = useRef("program");

  const { basis, flat, grouping, tab, time, source } = state;
  const experiment = page.experiments[state.experiment];
  const only = useMemo(() => locationsOf(state), [state.browser, state.filtered]);
  const within = intervalOf(page, state);
  const bases = BASES.filter((each) => each !== "other" || (page.other && !only && !within)); // the other experiment's totals are known only for all ranks and the whole run
  const base = bases.includes(basis) ? basis : null;
  const whole = base === "other" ? page.other.totals : base;
  const browser = useMemo(() => shownOf(page, state), [state.browser, only, within]);
  const ofAll = useMemo(() => inInterval(page, state), [state.browser, within]); // the values of all locations
  const rows = useMemo(() => Object.fromEntries(DIMENSIONS.map((each) => [each, rowsOf(each === "system" ? ofAll : browser, each, whole)])), [browser, ofAll, whole]);
  const spread = useMemo(() => ranges(browser), [browser]);

  const titles = { metrics: "Metric", program: flat ? "Region" : "Call path", system: grouping === "cluster" ? "Cluster, rank" : "Machine, rank" };

  // Shows a changed state as soon as its values are loaded, unless another change comes first. `change`: the changed
  // parts of the state, or a function that returns them for the current state. `finding`: the number of the shown
  // finding, or -1. `aim`: the trees whose cursors move to their selections.
  async function go(change, { finding: number = -1, aim = null } = {}) {
    const before = now.current.browser;
    document.body.setAttribute("aria-busy", "true");
    const next = { ...now.current, ...(typeof change === "function" ? change(now.current) : change) };
    now.current = next;
    try {
      await load(page, next);
    } catch (error) {
      setFailure(String(error));
      document.body.removeAttribute("aria-busy");
      return;
    }
    if (now.current !== next) return;
    document.body.removeAttribute("aria-busy");
    setState(next);
    if (next.browser !== before) setFinding(number);
    history.replaceState(null, "", `#${fragmentOf(next)}`);
    if (aim) setFocus((seen) => aimed(page, seen, next, aim));
  }

  const tree = (change) => go((seen) => ({ browser: change(seen.browser) }));

  function toFinding(number) {
    const found = page.findings[number];
    if (!found) return;
    go((seen) => ({ ...start(page), tab: seen.tab, time: { ...seen.time, range: null }, source: seen.source, browser: browserOf(page, found) }), { finding: number, aim: DIMENSIONS }).then(lookThere);
  }

  // Shows the view in the URL. The URL is taken from the event, because a state that is still being loaded may replace
  // the current URL.
  function fromAddress(event) {
    const pieces = piecesOf(new URL(event.newURL).hash);
    if (pieces.has("n")) return toFinding(Number(pieces.get("n")) - 1);
    return go(stateOf(page, pieces), { aim: DIMENSIONS });
  }

  useLayoutEffect(() => {
    history.replaceState(null, "", `#${fragmentOf(first.state)}`);
    if (first.asked) lookThere();
    addEventListener("hashchange", fromAddress);
    return () => removeEventListener("hashchange", fromAddress);
  }, []);

  function selectPath(path, locations = []) {
    go((seen) => {
      let next = seen.browser;
      const node = seen.flat ? experiment.trees.flat.home[path] : path;
      next = next.selecting("program", [node]);
      if (!locations.length || experiment.head.large) return { browser: next };
      return { browser: next.selecting("system", nodesOf(next.panes.system.tree, locations)), filtered: true };
    }, { aim: ["program", "system"] });
  }

  const selectRegion = (region) => selectPath(heaviestPath(browser, experiment, region));

  function switchTree(toFlat) {
    go((seen) => {
      const tree = toFlat ? experiment.trees.flat : experiment.trees.calls;
      const paths = selectedPaths(seen.browser, experiment);
      const nodes = toFlat ? [...new Set(paths.map((path) => experiment.trees.flat.home[path]))] : [heaviestPath(seen.browser, experiment, experiment.trees.flat.home[paths[0]])];
      const pane = (toFlat ? new Pane(tree) : (seen.calls ?? new Pane(tree))).selecting(nodes);
      return { flat: toFlat, calls: toFlat ? seen.browser.panes.program : null, browser: seen.browser.with("program", pane) };
    }, { aim: ["program"] });
  }

  function group(name) {
    go((seen) => {
      const tree = experiment.trees.systems[name];
      const pane = new Pane(tree, { open: tree.children(-1).length > 1 ? [] : tree.children(-1) });
      return { grouping: name, browser: seen.browser.with("system", pane), filtered: false };
    });
  }

  // Shows this experiment, or its difference from the other experiment. The open tab stays open.
  function show(difference) {
    const name = difference ? "difference" : "run";
    go((seen) => ({ ...carried(page, seen, name), tab: seen.tab }), { aim: DIMENSIONS });
  }

  function find(dimension, node) {
    lastTree.current = dimension;
    go((seen) => ({ browser: seen.browser.selecting(dimension, [node]), filtered: seen.filtered || dimension === "system" }), { aim: [dimension] });
  }

  const actions = (dimension) => ({
    click(event, shown, place) {
      document.getElementById(`tree-${dimension}`).focus({ preventScroll: true });
      setFocus((seen) => ({ ...seen, [dimension]: place }));
      const row = shown.row(place);
      if (row.state === "folded") return tree((seen) => seen.unfolding(dimension, row.above));
      if (event.target.closest(".toggle") && row.state !== "leaf") return toggle(dimension, row);
      return select(dimension, row.nodes[0], event.ctrlKey || event.metaKey || event.shiftKey);
    },
    key(event, shown, at) {
      if (event.altKey || !shown.length) return;
      const row = shown.row(at);
      const move = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1, PageDown: at + 15, PageUp: at - 15 }[event.key];
      if (move !== undefined) {
        event.preventDefault();
        const to = Math.max(0, Math.min(shown.length - 1, move));
        setFocus((seen) => ({ ...seen, [dimension]: to }));
        const next = shown.row(to);
        if (!event.ctrlKey && next.state !== "folded") select(dimension, next.nodes[0], false);
      } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
        event.preventDefault();
        const inwards = event.key === "ArrowRight";
        if (row.state === "folded") inwards ? tree((seen) => seen.unfolding(dimension, row.above)) : toNode(dimension, row.above);
        else if (inwards && row.state === "closed") tree((seen) => seen.opened(dimension, [row.nodes[0]]));
        else if (inwards && row.state === "open") actions(dimension).key(new KeyboardEvent("keydown", { key: "ArrowDown", ctrlKey: event.ctrlKey }), shown, at);
        else if (!inwards && row.state === "open") tree((seen) => seen.closed(dimension, [row.nodes[0]]));
        else if (!inwards) toNode(dimension, row.above);
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        if (row.state === "folded") tree((seen) => seen.unfolding(dimension, row.above));
        else select(dimension, row.nodes[0], event.ctrlKey);
      }
    },
  });

  function toggle(dimension, row) {
    const change = row.state === "open" ? "closed" : "opened";
    tree((seen) => seen[change](dimension, row.nodes));
  }

  function select(dimension, node, beside) {
    go(({ browser: seen, filtered }) => {
      const { selected } = seen.panes[dimension];
      const without = [...selected].filter((each) => each !== node);
      const to = (nodes) => ({ browser: seen.selecting(dimension, nodes), filtered: dimension === "system" ? nodes.length > 0 : filtered });
      if (!beside) return to([node]);
      if (!selected.has(node)) return to([...selected, node]);
      return without.length || dimension === "system" ? to(without) : {};
    });
  }

  // Changes the view of the time lines. If it now limits the trees to an interval, wall time is selected and closed,
  // because no other metric is known there.
  function changeTime(part) {
    const isOfRange = "range" in part;
    go((seen) => {
      const next = { ...seen, time: { ...seen.time, ...part } };
      return isOfRange ? ofTime(page, next) : next;
    }, { finding, aim: isOfRange ? ["metrics"] : null });
  }

  const ofAllAgain = () => go((seen) => ({ browser: seen.browser.selecting("system", []), filtered: false }));

  function toNode(dimension, node) {
    if (node < 0) return;
    const place = rows[dimension].order.indexOf(node);
    setFocus((seen) => ({ ...seen, [dimension]: place }));
    select(dimension, node, false);
  }

  const values = () => {
    go({ basis: bases[(bases.indexOf(now.current.basis) + 1) % bases.length] });
  };
  const goTab = (name) => go((seen) => ({ tab: seen.tab === name ? null : name }));

  useEffect(() => {
    const onKey = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || help) return;
      const typing = event.target.matches?.("input:not([type=checkbox]), select, textarea");
      if (typing && event.key !== "Escape") return;
      const act = {
        "/": () => document.getElementById("search").focus(),
        "[": () => toFinding(Math.max(0, finding - 1)),
        "]": () => toFinding(Math.min(page.findings.length - 1, finding + 1)),
        v: values,
        s: () => go((seen) => ({ source: !seen.source })),
        "?": () => setHelp(true),
        Escape: () => (typing ? document.getElementById(`tree-${lastTree.current}`).focus() : go({ tab: null })),
      }[event.key];
      const place = TABS.findIndex((_, number) => event.key === keyOf(number));
      if (!act && place < 0) return;
      event.preventDefault();
      if (act) act();
      else goTab(TABS[place][0]);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [help, finding, page]);

  // Moves the focus to a tree if the focused element was removed, together with its panel or the source.
  const held = useRef(null);
  useEffect(() => {
    const hold = ({ target }) => (held.current = target);
    addEventListener("focusin", hold);
    return () => removeEventListener("focusin", hold);
  }, []);
  useLayoutEffect(() => {
    if (held.current && !held.current.isConnected && document.activeElement === document.body) document.getElementById(`tree-${lastTree.current}`).focus({ preventScroll: true });
  });

  const shownNodes = useMemo(() => rows.program.order.filter((node) => node >= 0), [rows]);
  if (failure) return html`<p class="remark warning">The data in this page cannot be read: ${failure}</p>`;
  const range = (node) => (node < 0 || !spread ? null : rangeOf(spread, rows.program, node));
  // Describes a metric and its source.
  const aboutMetric = (node) => {
    if (node < 0) return undefined;
    const { name, about, source: from } = experiment.head.metrics[node];
    return `${[name, about].filter(Boolean).join(": ")} (${from})`;
  };
  const groupings = Object.keys(experiment.trees.systems);
  const width = (name) => (widths[name] ? `${widths[name]}px` : "minmax(13rem, 1.2fr)");
  const columns = { gridTemplateColumns: [width("metrics"), "6px", widths.program ? `${widths.program}px` : "minmax(17rem, 1.8fr)", "6px", widths.system ? `${widths.system}px` : "minmax(14rem, 1.2fr)", ...(source ? ["6px", "minmax(18rem, 1.6fr)"] : [])].join(" ") };
  const tallest = Math.max(...DIMENSIONS.map((each) => rows[each].length));
  const height = `max(${source ? 28 : 16}rem, ${tallest * ROW + 72}px)`;
  const pane = (dimension, tools) => html`
    <section class=${`pane ${dimension}`} aria-label=${titles[dimension]} onFocusIn=${() => (lastTree.current = dimension)}>
      <h2 class="pane-title"><span>${titles[dimension]}</span>${tools}</h2>
      <${TreeView}
        name=${dimension}
        title=${titles[dimension]}
        rows=${rows[dimension]}
        focus=${focus[dimension]}
        ranges=${dimension === "program" ? range : undefined}
        about=${dimension === "metrics" ? aboutMetric : undefined}
        signed=${experiment.signed}
        gains=${experiment.head.difference}
        actions=${actions(dimension)}
      />
      ${dimension === "system" && !ofAll.ofSystem && html`<p class="remark">This page does not contain these values. It has values of single ranks only for the findings' call paths, and values of ranges of ranks (“bins”) only for ${experiment.head.large.metrics.join(", ")}. To see all values of a part of the run, extract this part with <code>autoanalyzer cut</code>.</p>`}
      <${Legend} legend=${rows[dimension].legend} signed=${experiment.signed} gains=${experiment.head.difference} />
    </section>
  `;
  const selectNode = (node, locations) => {
    const path = flat ? heaviestPath(browser, experiment, node) : node;
    selectPath(path, locations);
  };
  const clusters = experiment.head.large ? [] : page.clusters;
  const shared = { browser, experiment, clusters };
  const sharedOfAll = { ...shared, browser: ofAll };
  const metric = experiment.head.metrics[browser.metrics[0]].name;
  const limits = [
    only && "Metrics and call paths show only the values of the selected ranks.",
    within && `In the interval, only wall time is known. It comes from the time lines: each step of ${amount(page.times[time.trace].step / page.times[time.trace].fine, "sec")} counts for the call path that takes most of it${ofAll.sums.rest > 0 ? `; ${amount(ofAll.sums.rest, "sec")} in several short regions is left out` : ""}.`,
  ].filter(Boolean).join(" ");
  const inBoth = page.other?.totals.has(metric) && page.experiments.run.head.metrics.some(({ name }) => name === metric);
  return html`
    <div class="toolbar">
      <label>values <select value=${VALUES[base ?? "absolute"]} onChange=${(event) => go({ basis: BASES.find((each) => VALUES[each ?? "absolute"] === event.currentTarget.value) })}>
        <option value="abs">absolute</option>
        <option value="pct">% of the program</option>
        <option value="sel">% of the selection</option>
        ${bases.includes("other") && html`<option value="other">% of ${page.other.name}</option>`}
      </select></label>
      <label>program <select value=${flat ? "flat" : "calls"} onChange=${(event) => switchTree(event.currentTarget.value === "flat")}><option value="calls">call tree</option><option value="flat">flat profile</option></select></label>
      ${groupings.length > 1 && html`<label>system by <select value=${grouping} onChange=${(event) => group(event.currentTarget.value)}>${groupings.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>`}
      ${only && html`<${Filter} text=${namesOf(experiment, only)} title="in metrics, call paths, flat profile, callers and source" back=${`show all ${experiment.kind}s`} end=${ofAllAgain} />`}
      ${within && html`<${Filter} text=${`${page.times[time.trace].span(within).replace(":", " to ")} s`} title="in all trees, ranks × regions, flat profile, topology, callers, icicle and source" back="show the whole run" end=${() => changeTime({ range: null })} />`}
      <${Search} trees=${Object.fromEntries(DIMENSIONS.map((each) => [each, browser.panes[each].tree]))} titles=${titles} show=${find} />
      <button aria-pressed=${source} onClick=${() => go((seen) => ({ source: !seen.source }))}>source</button>
      <button onClick=${() => setHelp(true)} aria-haspopup="dialog">keys <kbd>?</kbd></button>
    </div>
    ${finding >= 0 && html`<p class="finding-bar" aria-live="polite"><b>${finding + 1}</b> ${page.findings[finding].title} <button onClick=${() => toFinding(finding - 1)} aria-disabled=${finding <= 0} aria-label="previous finding">[</button><button onClick=${() => toFinding(finding + 1)} aria-disabled=${finding >= page.findings.length - 1} aria-label="next finding">]</button></p>`}
    <div class="trees" style=${{ ...columns, "--height": height }}>
      ${pane("metrics")}
      <${Splitter} name="the metric tree" width=${widths.metrics} setWidth=${(metrics) => setWidths((seen) => ({ ...seen, metrics }))} />
      ${pane("program", html`<small>min – mean – max of the ${experiment.kind}s</small>`)}
      <${Splitter} name="the call tree" width=${widths.program} setWidth=${(program) => setWidths((seen) => ({ ...seen, program }))} />
      ${pane("system")}
      ${source && html`<${Splitter} name="the system tree" width=${widths.system} setWidth=${(system) => setWidths((seen) => ({ ...seen, system }))} />
        <${SourceView} browser=${browser} experiment=${experiment} sources=${page.sources} findings=${page.findings} select=${(path) => selectPath(path)} />`}
    </div>
    <p class="remark">${limits || (experiment.head.difference ? DIFFERENCE : page.basis)}</p>
    <${Tabs} tab=${tab} go=${goTab}>
      ${tab === "ranks" && html`<${HeatMap} ...${sharedOfAll} nodes=${shownNodes} select=${selectNode} />`}
      ${tab === "flat" && html`<${FlatProfile} ...${shared} select=${selectRegion} />`}
      ${tab === "callers" && html`<${Callers} browser=${browser} experiment=${experiment} select=${(path) => selectPath(path)} />`}
      ${tab === "icicle" && html`<${IcicleTab} browser=${browser} experiment=${experiment} difference=${experiment.head.difference || only || within ? null : page.experiments.difference} other=${page.other?.name} select=${(path) => selectPath(path)} />`}
      ${tab === "topology" && html`<${Topology} ...${sharedOfAll} select=${(locations) => selectPath(selectedPaths(browser, experiment)[0], locations)} />`}
      ${tab === "messages" && html`<${Messages} key=${state.experiment} experiment=${experiment} select=${(locations) => selectPath(selectedPaths(browser, experiment)[0], locations)} />`}
      ${tab === "compare" && html`<${Compare} difference=${page.experiments.difference} metric=${metric} inBoth=${inBoth} other=${page.other?.name} compared=${page.other?.compared ?? []} shown=${state.experiment === "difference"} show=${show}
        select=${(region) => selectIn(region)} />`}
      ${["counters", "account"].includes(tab) && html`<${Made} key=${tab} name=${tab} difference=${page.experiments.run.head.difference} />`}
      ${tab === "roofline" && html`<${Roofline} experiment=${experiment} selected=${new Set(selectedPaths(browser, experiment).map((path) => experiment.trees.flat.home[path]))} select=${selectRegion} />`}
      ${tab === "time" && html`<${Time} times=${page.times} state=${time} change=${changeTime} select=${page.experiments.run === experiment ? selectPath : null} />`}
    </${Tabs}>
    ${help && html`<${Help} close=${() => setHelp(false)} />`}
  `;

  // Selects a region of the difference in the trees. If the shown experiment does not have this region, shows the
  // difference.
  function selectIn(region) {
    const { difference } = page.experiments;
    if (state.experiment === "difference") return selectRegion(region);
    const path = difference.head.there.findIndex((there) => difference.trees.flat.home[there] === region);
    if (path >= 0) return selectRegion(experiment.trees.flat.home[path]);
    return go((seen) => {
      const next = carried(page, seen, "difference");
      const node = next.flat ? region : heaviestPath(next.browser, difference, region);
      return { ...next, tab: seen.tab, browser: next.browser.selecting("program", [node]) };
    }, { aim: DIMENSIONS });
  }
}

// Returns the cursors of the trees, after moving those of some dimensions to the state's selections.
function aimed(page, cursors, state, dimensions) {
  const found = { ...cursors };
  for (const dimension of dimensions) {
    const { order } = rowsOf((dimension === "system" ? inInterval : shownOf)(page, state), dimension, null);
    const place = order.findIndex((node) => state.browser.panes[dimension].selected.has(node));
    if (place >= 0) found[dimension] = place;
  }
  return found;
}

// Scrolls to the trees if they are not visible; if the columns are stacked, to the top of the first one.
function lookThere() {
  const narrow = matchMedia("(max-width: 1100px)").matches;
  requestAnimationFrame(() => document.querySelector(narrow ? ".source, .trees" : ".trees")?.scrollIntoView({ block: narrow ? "start" : "nearest" }));
  if (document.activeElement === document.body) document.getElementById("tree-program").focus({ preventScroll: true });
}

const DIFFERENCE = "In the trees, ▼ marks a decrease (a gain), and ▲ an increase (a loss), summed over all ranks. Tables and charts show before minus after.";

// The rows of a tree whose values are not in the page.
const NO_ROWS = { length: 0, order: [], legend: null };

const rowsOf = (browser, dimension, basis) =>
  dimension === "system" && !browser.ofSystem ? NO_ROWS : new Rows(browser, dimension, basis);

// Returns the distribution of values over the locations at a program node; null if unknown.
function rangeOf(spread, rows, node) {
  const { browser, pane } = rows;
  const of = pane.isOpen(node) ? spread.own : spread.closed;
  if (!of.known[node]) return null;
  // The data of a large experiment include the ranks with the smallest and the largest value.
  const who = browser.sums.large?.noun === "rank" && { least: of.leastWho[node], most: of.mostWho[node], deviation: of.deviation[node] };
  return { who, least: of.least[node], mean: of.mean[node], most: of.most[node], scale: scaleOf(spread), unit: browser.sums.metrics[browser.metrics[0]].unit };
}

// Returns the common scale of all ranges, from the smallest to the largest value; it always includes 0.
const scaleOf = (spread) =>
  (spread.scale ??= {
    low: finite(spread.own.least, Math.min, finite(spread.closed.least, Math.min, 0)),
    high: finite(spread.own.most, Math.max, finite(spread.closed.most, Math.max, 0)),
  });

const finite = (values, which, start) => values.reduce((found, value) => (Number.isFinite(value) ? which(found, value) : found), start);
