// The value of each region over all call paths, or over those below the selected call paths. Recursive calls are not
// counted twice.

// Returns the file and line of a region; empty if it has no file.
export const placeOf = ([, , file, , first]) => atLine(file, first);

// Returns file:line without folders (like at_line in view/place.py).
export function atLine(file, line) {
  const name = file.split("/").at(-1);
  return line && name ? `${name}:${line}` : name;
}

// Returns the inclusive values of the selected metrics by region, as a Float64Array; NaN if unknown. `scope`: only
// values at and below these call paths count; null to count all values.
export function regionSums(browser, experiment, scope = null) {
  const calls = experiment.trees.calls;
  const home = experiment.trees.flat.home;
  const own = browser.selected((metric) => browser.sums.byPath(metric)).atHome(calls);
  const closed = own.up(calls);
  const found = new Float64Array(experiment.head.regions.length).fill(NaN);
  if (own.aggregation !== "sum") return found;
  const inside = scope && new Set(calls.walk(scope));
  for (let path = 0; path < calls.length; path++) {
    if (inside && !inside.has(path)) continue;
    const region = home[path];
    const again = calls.ancestors(path).some((above) => home[above] === region && (!inside || inside.has(above)));
    if (again) continue;
    const { amount } = closed.value(path);
    if (amount !== null) found[region] = (found[region] === found[region] ? found[region] : 0) + amount;
  }
  return found;
}

// Returns the selected call paths; if the flat profile is shown, those of the selected regions.
export function selectedPaths(browser, experiment) {
  const { tree, selected } = browser.panes.program;
  if (tree === experiment.trees.calls) return [...selected];
  return [...experiment.trees.flat.home.keys()].filter((path) => selected.has(experiment.trees.flat.home[path]));
}

// Returns the call path on which a region has its largest value. If some of its call paths are at or below those in
// `scope`, only these count.
export function heaviestPath(browser, experiment, region, scope = null) {
  const { calls, flat } = experiment.trees;
  const { amounts } = browser.selected((metric) => browser.sums.byPath(metric)).atHome(calls).up(calls);
  const paths = [...flat.home.keys()].filter((path) => flat.home[path] === region);
  const inside = scope && new Set(calls.walk(scope));
  const near = paths.filter((path) => inside?.has(path));
  return (near.length ? near : paths).reduce((one, other) => (Math.abs(amounts[other]) > Math.abs(amounts[one]) ? other : one));
}

// Returns the regions in a file, outer regions first, each with its first line, last line and nesting depth.
export function nested(regions, file) {
  const found = [...regions.entries()]
    .filter(([, region]) => region[2] === file && region[4] > 0)
    .map(([number, region]) => ({ number, first: region[4], last: Math.max(region[4], region[5]) }))
    .sort((one, other) => one.first - other.first || other.last - one.last);
  const around = [];
  for (const region of found) {
    while (around.length && around.at(-1).last < region.first) around.pop();
    region.depth = around.length;
    around.push(region);
  }
  return found;
}
