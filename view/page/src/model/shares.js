// Values as percentages of the root, the selection, or another experiment (like view/browser/percentages.py).
import { summable } from "./browser.js";

// Returns a value in percent of another value.
export function share(value, of) {
  if (value.amount === null) return value;
  if (!of.amount) return { amount: null, gap: "no share" };
  const partial = value.gap === "partial" || of.gap === "partial";
  return { amount: (100 * value.amount) / Math.abs(of.amount), gap: partial ? "partial" : "" };
}

// Returns the value that is 100 % for a shown node. `basis`: "root", "selection", or the totals of another experiment.
export function wholeOf(browser, dimension, basis, node) {
  if (dimension === "metrics") return ofRoots(browser, [node], basis);
  if (basis === "selection" && browser.summed) {
    const { own } = dimension === "program" ? browser.ofProgram : browser.ofSystem;
    return own.together().value(0);
  }
  return ofRoots(browser, browser.metrics, basis);
}

// Returns the sum of the root metrics above some metrics, each root once, over the whole program.
function ofRoots(browser, metrics, basis) {
  const none = { amount: null, gap: "no share" };
  const kinds = browser.sums.metrics;
  if (!summable(metrics.map((node) => kinds[node]))) return none;
  const { tree } = browser.panes.metrics;
  const roots = [...new Set(metrics.map((node) => tree.root(node)))];
  const other = typeof basis === "string" ? null : basis;
  const same = other ? roots.map((root) => other.get(kinds[root].name)) : roots.map((root) => kinds[root]);
  if (same.includes(undefined) || !summable([...roots.map((root) => kinds[root]), ...same])) return none;
  const totals = roots.map((root, place) => (other ? same[place].total : browser.sums.total(root)));
  return totals.reduce((one, two) => one.plus(two)).value(0);
}
