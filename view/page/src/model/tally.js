// Aggregated values of a metric, one per place, with the numbers of measured and missing values (like
// view/browser/tally.py).

// If one of two values is missing, the result is the other value, as in numpy's fmin and fmax.
const least = (one, other) => (one !== one ? other : other !== other ? one : Math.min(one, other));
const most = (one, other) => (one !== one ? other : other !== other ? one : Math.max(one, other));
const sum = (one, other) => one + other;
const OPERATIONS = { sum, none: sum, min: least, max: most };

export class Tally {
  constructor(aggregation, amounts, known, gaps) {
    Object.assign(this, { aggregation, amounts, known, gaps });
  }

  static nothing(aggregation, places) {
    const amounts = new Float64Array(places).fill(OPERATIONS[aggregation] === sum ? 0 : NaN);
    return new Tally(aggregation, amounts, new Float64Array(places), new Float64Array(places));
  }

  get length() {
    return this.amounts.length;
  }

  get operation() {
    return OPERATIONS[this.aggregation];
  }

  // Returns the value at a place, or the reason why it is missing; the gap is `partial` if some values are missing.
  // `hasCells`: whether the place should have values; if it has none, the metric was measured only for whole processes.
  value(place, hasCells = false) {
    const known = this.known[place];
    const gaps = this.gaps[place];
    if (this.aggregation === "none" && known + gaps > 1) return { amount: null, gap: "not summed" };
    if (hasCells && !(known + gaps)) return { amount: null, gap: "per rank" };
    if (!(known + gaps)) {
      return this.aggregation === "sum" ? { amount: 0, gap: "" } : { amount: null, gap: "shown below" };
    }
    if (!known) return { amount: null, gap: "not measured" };
    return { amount: this.amounts[place], gap: gaps ? "partial" : "" };
  }

  at(place) {
    const one = (numbers) => numbers.slice(place, place + 1);
    return new Tally(this.aggregation, one(this.amounts), one(this.known), one(this.gaps));
  }

  plus(other) {
    const { operation } = this;
    return new Tally(
      this.aggregation,
      this.amounts.map((amount, place) => operation(amount, other.amounts[place])),
      this.known.map((known, place) => known + other.known[place]),
      this.gaps.map((gaps, place) => gaps + other.gaps[place]),
    );
  }

  // Returns the tally with a part subtracted from its sums. If the part is unknown at a place, nothing is subtracted.
  less(part) {
    return new Tally(
      this.aggregation,
      this.amounts.map((amount, place) => amount - part.amounts[place]),
      this.known,
      this.gaps.map((gaps, place) => gaps + part.gaps[place]),
    );
  }

  // Returns a tally with one place per node of a tree, aggregated over the places that belong to that node.
  atHome(tree) {
    const found = Tally.nothing(this.aggregation, tree.length);
    for (let cell = 0; cell < this.length; cell++) found.add(tree.home[cell], this, cell);
    return found;
  }

  // Returns a tally in which the value of each node of a tree includes its descendants' values.
  up(tree) {
    const found = new Tally(this.aggregation, this.amounts.slice(), this.known.slice(), this.gaps.slice());
    for (let node = tree.length - 1; node >= 0; node--) {
      if (tree.parents[node] >= 0) found.add(tree.parents[node], found, node);
    }
    return found;
  }

  together() {
    const one = Tally.nothing(this.aggregation, 1);
    for (let place = 0; place < this.length; place++) one.add(0, this, place);
    return one;
  }

  // Adds the value at a place of another tally to a place of this tally.
  add(place, other, at) {
    this.amounts[place] = this.operation(this.amounts[place], other.amounts[at]);
    this.known[place] += other.known[at];
    this.gaps[place] += other.gaps[at];
  }
}
