// Folds small nodes into one row, "n more" (like view/browser/folding.py).
import { Tally } from "./tally.js";

const SHARE = 0.005; // keep equal to _SHARE in view/browser/folding.py

// Maps each node to its small children, which are folded into one row; the key -1 is for small roots.
export function folded(browser, dimension) {
  const found = new Map();
  if (dimension === "system") return found;
  const pane = browser.panes[dimension];
  const small = browser.once(`small ${dimension}`, () =>
    dimension === "metrics" ? smallMetrics(browser) : smallPaths(browser),
  );
  for (const node of pane.shown()) {
    const above = pane.tree.parents[node];
    if (!small[node] || pane.unfolded.has(above) || pane.selected.has(node) || pane.isOpen(node)) continue;
    if (!found.has(above)) found.set(above, []);
    found.get(above).push(node);
  }
  for (const [above, nodes] of found) if (nodes.length === 1) found.delete(above);
  return found;
}

// Returns, for each metric, whether it is small compared with its root; false for metrics that are not additive.
function smallMetrics(browser) {
  const { sums } = browser;
  const { tree } = browser.panes.metrics;
  const added = sums.metrics.map(({ aggregation }) => aggregation === "sum");
  const sizes = sums.metrics.map((_, metric) => sums.byPath(metric).amounts.reduce(sizeAdded, 0));
  for (let node = tree.length - 1; node >= 0; node--) {
    const above = tree.parents[node];
    if (above < 0) continue;
    sizes[above] = Math.max(sizes[above], sizes[node]);
    added[above] &&= added[node];
  }
  return sizes.map((size, node) => added[node] && size < SHARE * sizes[tree.root(node)]);
}

// Returns, for each program node, whether it is small compared with the whole program.
function smallPaths(browser) {
  const { own } = browser.ofProgram;
  if (own.aggregation !== "sum") return new Uint8Array(own.length);
  const sizes = new Tally("sum", own.amounts.map(Math.abs), own.known, own.gaps).up(browser.panes.program.tree).amounts;
  const all = own.amounts.reduce(sizeAdded, 0);
  return Uint8Array.from(sizes, (size) => size < SHARE * all);
}

const sizeAdded = (sum, amount) => sum + (amount !== amount ? 0 : Math.abs(amount));
