// The time lines of the page: how values are distributed over the locations in each time step (written by
// view/page/time_lines.py).
import { amount, isWritten } from "./units.js";

const ROWS = 20; // maximum number of rows in a table
const FEW = 1000; // smaller rates, in events per second, are written with decimals

export class TimeLines {
  // `read` returns a promise of the numbers stored under a key.
  constructor(head, read) {
    this.head = head;
    this.steps = head.steps;
    [this.start, this.end] = head.edges;
    this.step = (this.end - this.start) / this.steps;
    this.fine = head.fine; // number of parts of a step; each part has its own main call path
    this.edges = Float64Array.from({ length: this.steps + 1 }, (_, place) => (place < this.steps ? this.start + place * this.step : this.end));
    this.units = new Map(head.metrics.map(({ name, unit }) => [name, unit]));
    this.numbers = new Map(); // metric → smallest, mean and largest values
    this.read = read;
  }

  // Loads the regions and some metrics, unless they are already loaded.
  async load(metrics) {
    this.regions ??= await this.read(`${this.head.key} regions`);
    for (const name of metrics) {
      if (this.numbers.has(name)) continue;
      const all = await this.read(`${this.head.key} ${name}`);
      const [least, mean, most] = [0, 1, 2].map((part) => all.subarray(part * this.steps, (part + 1) * this.steps));
      this.numbers.set(name, { least, mean, most });
    }
  }

  has(metrics) {
    return this.regions !== undefined && metrics.every((name) => this.numbers.has(name));
  }

  // Returns the metrics to show initially.
  get first() {
    return this.head.first.map((place) => this.head.metrics[place].name);
  }

  // Returns the time step that contains a moment.
  stepAt(time) {
    return Math.max(0, Math.min(this.steps - 1, Math.floor((time - this.start) / this.step)));
  }

  middle(step) {
    return (this.edges[step] + this.edges[step + 1]) / 2;
  }

  // Returns the first step that is at least half inside a range, and the step after the last such step.
  stepsOf([start, end]) {
    const first = this.stepAt(start + this.step / 2);
    return [first, Math.max(first, this.stepAt(end - this.step / 2)) + 1];
  }

  // Returns the time at which a part of a step begins.
  beginOf(part) {
    return part < this.steps * this.fine ? this.start + (part * this.step) / this.fine : this.end;
  }

  // Returns the index of a row's main call path, the one with the most time, in a part of a step; -1 for several short
  // call paths, NaN if there is none.
  pathAt(row, part) {
    return this.regions[row * this.steps * this.fine + part];
  }

  // Returns the most frequent main call path of a row in some parts of steps.
  mostMet(row, [from, to]) {
    const met = new Map();
    for (let part = from; part < to; part++) met.set(this.pathAt(row, part), (met.get(this.pathAt(row, part)) ?? 0) + 1);
    return [...met].sort(([, one], [, other]) => other - one)[0][0];
  }

  nameOf(path) {
    return path >= 0 ? this.head.paths[path].name : path < 0 ? "several short regions" : "no region";
  }

  // Returns the smallest, mean and largest value in some steps, and the times of the smallest and the largest value.
  summary(name, [from, to]) {
    const { least, mean, most } = this.numbers.get(name);
    const found = { least: NaN, leastAt: NaN, mean: NaN, most: NaN, mostAt: NaN };
    let [sum, known] = [0, 0];
    for (let step = from; step < to; step++) {
      if (mean[step] !== mean[step]) continue;
      sum += mean[step];
      known++;
      if (!(least[step] >= found.least)) [found.least, found.leastAt] = [least[step], this.middle(step)];
      if (!(most[step] <= found.most)) [found.most, found.mostAt] = [most[step], this.middle(step)];
    }
    return known ? { ...found, mean: sum / known } : found;
  }

  // Returns the rows of a table that describes the charts: spans of steps, each with its main region.
  table(metrics, [from, to]) {
    const count = Math.min(ROWS, to - from);
    return Array.from({ length: count }, (_, row) => {
      const steps = [from + Math.floor((row * (to - from)) / count), from + Math.floor(((row + 1) * (to - from)) / count)];
      return { start: this.edges[steps[0]], end: this.edges[steps[1]], region: this.nameOf(this.mostMet(0, steps.map((step) => step * this.fine))), values: metrics.map((name) => this.summary(name, steps)) };
    });
  }

  // Returns each call path's share of the time in some parts of steps, largest first. The row of all locations counts
  // only if it is the only row.
  shares([from, to] = [0, this.steps * this.fine]) {
    const found = new Float64Array(this.head.paths.length);
    const { length } = this.head.rows;
    const first = length > 1 ? 1 : 0;
    for (let row = first; row < length; row++) {
      for (let part = from; part < to; part++) {
        const path = this.pathAt(row, part);
        if (path >= 0) found[path]++;
      }
    }
    const all = (length - first) * (to - from);
    return [...found].map((count, path) => ({ path, share: count / all })).sort((one, other) => other.share - one.share);
  }

  // Returns whether the time lines are of the run of the profile, with a row per location and call paths of the trees.
  get isInTrees() {
    const { isOfProfile, members, paths } = this.head;
    return isOfProfile && members.every(({ length }) => length < 2) && paths.some(({ node }) => node !== null);
  }

  // Returns the seconds of an interval by call path of the profile and location, in which each part of a step counts for
  // its main call path, and the seconds of the parts in which this is unknown. NaN for locations without a time line.
  secondsIn([start, end], paths, locations) {
    const seconds = new Float64Array(paths * locations).fill(NaN);
    const { paths: met, members } = this.head;
    const placeOf = (time) => ((time - this.start) / this.step) * this.fine;
    const [first, last] = [placeOf(start), placeOf(end)];
    let rest = 0;
    for (const [row, [location]] of members.entries()) {
      if (location === undefined) continue;
      for (let path = 0; path < paths; path++) seconds[path * locations + location] = 0;
      for (let part = Math.floor(first); part < last; part++) {
        const took = ((Math.min(part + 1, last) - Math.max(part, first)) * this.step) / this.fine;
        const path = this.pathAt(row, part);
        const node = met[path]?.node ?? null;
        if (node !== null) seconds[node * locations + location] += took;
        else if (path === path) rest += took;
      }
    }
    return { seconds, rest };
  }

  // Returns a moment in seconds as text, with the number of decimals that steps of a given size justify.
  moment(time, size = this.step) {
    return time.toFixed(decimals(size));
  }

  // Returns an interval in the notation of commands. It is rounded inwards, so that it is inside the trace.
  span([start, end]) {
    const places = decimals(this.step);
    const size = 10 ** places;
    const digits = (value) => (value / size).toFixed(places);
    return `${digits(Math.ceil(start * size - 1e-6))}:${digits(Math.floor(end * size + 1e-6))}`;
  }

  // Returns whether commands accept a metric; they do not accept the times of a region's entries.
  inCommands(name) {
    return this.head.metrics.some((each) => each.name === name && each.word !== null);
  }

  // Returns commands for a terminal, each with its title, that show more about a metric in an interval.
  commands(metric, range) {
    const { word, metrics } = this.head; // already quoted for a shell
    const named = metrics.find(({ name }) => name === metric).word;
    return [
      ["the same interval in another run", `autoanalyzer align --metric ${named} --interval ${this.span(range)} ${word} OTHER`],
      ["metrics that change with this metric", `autoanalyzer correlate --target ${named} --interval ${this.span(range)} ${word}`],
    ];
  }
}

const decimals = (step) => Math.max(0, Math.min(9, 1 - Math.floor(Math.log10(step))));

// Returns the title of a metric's values over time: "mpi_time per second", "resident_memory", "speed, Mflop".
export function titleOf(name, unit) {
  const of = unit.replace(/\/sec$/, "");
  return `${name}${isWritten(of) ? "" : `, ${of}`}${of === unit ? "" : " per second"}`;
}

// Returns a value over time as text: "0.43" for seconds per second, "1.2 MB/s", "83 MB".
export function rate(value, unit) {
  if (value === value && unit === "sec/sec") return String(Number(value.toFixed(3)));
  if (unit === "occ/sec" && value < FEW) return `${Number(value.toPrecision(3))}/s`;
  const of = unit.endsWith("/sec") ? unit.slice(0, -4) : unit;
  return value === value ? `${amount(value, of)}${of === unit ? "" : "/s"}` : "not known";
}
