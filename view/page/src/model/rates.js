// Derives metrics of regions by formulas (like multivariate/derivations.py and view/page/roofline.py).
import { rate as overTime } from "./time_lines.js";

const LEAST = 0.001; // smallest number that is written without a power of ten

const OPERATIONS = {
  "+": (one, other) => one + other,
  "-": (one, other) => (other === undefined ? -one : one - other),
  "*": (one, other) => one * other,
  "/": (one, other) => one / other,
  "**": (one, other) => one ** other,
  abs: Math.abs,
  sqrt: Math.sqrt,
  log: Math.log,
  min: Math.min,
  max: Math.max,
};

// Returns the value of a formula, in which names stand for metrics; NaN if it is undefined.
export function evaluate(tree, valueOf) {
  if (typeof tree === "number") return tree;
  if (typeof tree === "string") return valueOf(tree);
  const [operator, ...operands] = tree;
  return OPERATIONS[operator](...operands.map((each) => evaluate(each, valueOf)));
}

// Returns the amount of a value; NaN if only some ranks measured it, because it must not be divided by the time on all
// ranks.
const whole = ({ amount, gap }) => (gap ? NaN : amount);

// Returns each region with a function `valueOf`, which returns the region's exclusive value of a measured or derived
// metric over all call paths and locations; NaN if unknown.
export function ratesOf(experiment) {
  const { head, sums, trees } = experiment;
  const metrics = new Map(head.metrics.map(({ name }, place) => [name, place]));
  const own = new Map();
  const columnOf = (name) => {
    if (!own.has(name)) own.set(name, sums.byPath(metrics.get(name)).atHome(trees.flat));
    return own.get(name);
  };
  return head.regions.map((_, region) => {
    const found = new Map();
    const valueOf = (name) => (found.has(name) ? found.get(name) : metrics.has(name) ? whole(columnOf(name).value(region)) : NaN);
    for (const { name, tree } of head.roofline.derived) {
      const value = evaluate(tree, valueOf);
      found.set(name, Number.isFinite(value) ? value : NaN);
    }
    return { region, valueOf };
  });
}

// Returns a value as text for a table: "3.1e9/s", "1.2 GB/s", "0.87".
export function writtenRate(value, unit) {
  if (value !== value) return "–";
  if (unit.endsWith("/sec")) return overTime(value, unit);
  return value && value < LEAST ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}
