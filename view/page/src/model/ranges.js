// The smallest, mean and largest value over the locations at each program node, exclusive and inclusive.

const CELLS = 1 << 22; // maximum number of values in memory at the same time

// Returns the ranges of the selected metrics; null if values of several call paths cannot be added, or are not in the
// page.
export function ranges(browser, tree = browser.panes.program.tree) {
  const { sums } = browser;
  const metrics = browser.metrics;
  if (sums.large) return metrics.length === 1 ? sums.rangesOf(tree, metrics[0], browser.partsOf(metrics[0])) : null;
  if (!browser.summed || !browser.located) return null;
  const terms = metrics.flatMap((metric) => [[metric, 1], ...browser.partsOf(metric).map((part) => [part, -1, metric])]);
  return sums.once(tree, `ranges ${terms.join(" ")}`, () => computed(sums, tree, terms));
}

function computed(sums, tree, terms) {
  const found = { own: nothing(tree.length), closed: nothing(tree.length) };
  const width = Math.max(1, Math.min(sums.columns, Math.floor(CELLS / tree.length)));
  for (let from = 0; from < sums.columns; from += width) {
    const count = Math.min(width, sums.columns - from);
    const values = new Float64Array(tree.length * count).fill(NaN);
    for (let path = 0; path < sums.paths; path++) {
      for (const [metric, sign, whole] of terms) {
        const [cells, needed] = [metric, whole ?? metric].map((each) => sums.values.get(each).subarray(path * sums.columns + from));
        add(values, tree.home[path] * count, cells, 0, count, sign, needed);
      }
    }
    note(found.own, values, count);
    for (let node = tree.length - 1; node >= 0; node--) {
      if (tree.parents[node] >= 0) add(values, tree.parents[node] * count, values, node * count, count, 1);
    }
    note(found.closed, values, count);
  }
  for (const { least, mean, most, known } of Object.values(found)) {
    for (let node = 0; node < tree.length; node++) {
      mean[node] /= known[node];
      if (!known[node]) least[node] = most[node] = NaN;
    }
  }
  return found;
}

const nothing = (nodes) => ({
  least: new Float64Array(nodes).fill(Infinity),
  mean: new Float64Array(nodes),
  most: new Float64Array(nodes).fill(-Infinity),
  known: new Float64Array(nodes),
});

// Adds `count` values, multiplied by a sign, to other values; a sum is missing only if both values are missing.
// `needed`: a value counts only if the value at the same place in `needed` is known, because a part must not be
// subtracted from a missing value.
function add(values, to, cells, from, count, sign, needed = cells) {
  for (let place = 0; place < count; place++) {
    const value = cells[from + place];
    if (value !== value || needed[from + place] !== needed[from + place]) continue;
    const sum = values[to + place];
    values[to + place] = sum === sum ? sum + sign * value : sign * value;
  }
}

function note({ least, mean, most, known }, values, count) {
  for (let node = 0; node < least.length; node++) {
    for (let place = node * count; place < (node + 1) * count; place++) {
      const value = values[place];
      if (value !== value) continue;
      if (value < least[node]) least[node] = value;
      if (value > most[node]) most[node] = value;
      mean[node] += value;
      known[node]++;
    }
  }
}
