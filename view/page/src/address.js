// Stores the view in the fragment of the page's URL, so that it can be shared as a link.
import { Pane } from "./model/pane.js";

export const VALUES = { absolute: "abs", root: "pct", selection: "sel", other: "other" };
const MOST = 200; // maximum number of open nodes in a link; a longer link would not fit into an e-mail

const names = (tree, nodes) => [...nodes].map((node) => (node < 0 ? "/" : encodeURIComponent(tree.identities[node]))).join(",");

// Returns the fragment for a view, such as "m=wall_time&c=main%2Floop~0&v=pct".
export function fragmentOf(state) {
  const { browser, basis, flat, grouping, filtered, tab, time, source, experiment } = state;
  const { metrics, program, system } = browser.panes;
  const parts = [
    ["m", names(metrics.tree, metrics.selected)],
    ["c", names(program.tree, program.selected)],
    ["s", names(system.tree, system.selected)],
    ["v", VALUES[basis ?? "absolute"]],
  ];
  if (flat) parts.push(["f", "flat"]);
  if (filtered) parts.push(["r", "only"]);
  if (grouping) parts.push(["g", grouping]);
  if (experiment !== "run") parts.push(["e", experiment]);
  if (tab) parts.push(["t", tab]);
  if (time.trace) parts.push(["tr", String(time.trace)]);
  if (time.shown) parts.push(["tm", time.shown.map(encodeURIComponent).join(",") || "-"]);
  if (time.range) parts.push(["ti", time.range.join(":")]);
  parts.push(["src", source ? "on" : "off"]);
  for (const [key, pane] of [["m", metrics], ["c", program], ["s", system]]) {
    if (pane.open.size <= MOST) parts.push([`${key}o`, names(pane.tree, pane.open)]);
    if (pane.unfolded.size) parts.push([`${key}u`, names(pane.tree, pane.unfolded)]);
  }
  return parts.filter(([key, text]) => text || key.endsWith("o")).map(([key, text]) => `${key}=${text}`).join("&");
}

// Returns the values of a fragment, by key. They may contain anything, because a reader may have edited the URL.
export function piecesOf(fragment) {
  const found = new Map();
  for (const piece of fragment.replace(/^#/, "").split("&")) {
    const [, key, text] = /^([a-z]{1,3})=(.*)$/s.exec(piece) ?? [];
    if (key) found.set(key, text);
  }
  return found;
}

// Returns a pane with the open and selected nodes of a fragment. Without such nodes, the pane does not change. Nodes
// that are not in the tree are ignored. `key`: the pane's key in the fragment.
export function paneOf(pane, pieces, key) {
  const { tree } = pane;
  const nodes = (text) => text.split(",").filter(Boolean).map((name) => nodeOf(tree, name)).filter((node) => node !== undefined);
  const asked = (suffix) => (pieces.has(key + suffix) ? nodes(pieces.get(key + suffix)) : null);
  const open = asked("o")?.filter((node) => node >= 0);
  let found = new Pane(tree, { open: open ?? pane.open, selected: pane.selected, unfolded: asked("u") ?? [] });
  const selected = asked("")?.filter((node) => node >= 0);
  if (selected?.length) found = found.selecting(selected);
  else if (selected && key === "s") found = found.selecting([]);
  return found.selecting([...found.selected]);
}

// Returns the view of the time lines that a fragment describes.
export function timeOf(times, pieces) {
  const trace = Number(pieces.get("tr") ?? 0);
  if (!times[trace]) return { trace: 0, shown: null, range: null };
  const { metrics, edges } = times[trace].head;
  const known = (name) => metrics.some((metric) => encodeURIComponent(metric.name) === name);
  const shown = pieces.has("tm") ? pieces.get("tm").split(",").filter(known).map(decodeURIComponent) : null;
  const [start, end] = (pieces.get("ti") ?? "").split(":").map(Number);
  return { trace, shown, range: start >= edges[0] && end <= edges[1] && start < end ? [start, end] : null };
}

// Returns the node with an encoded identity; -1 for the parent of the roots, undefined if there is no such node.
function nodeOf(tree, name) {
  if (name === "/") return -1;
  try {
    return tree.find(decodeURIComponent(name));
  } catch {
    return undefined; // an invalid escape sequence
  }
}
