// The numbers of some locations, as if the other locations had not been measured.
import { Sums } from "./sums.js";
import { Tally } from "./tally.js";

export class RankSums extends Sums {
  // `whole`: the numbers of all locations. `locations`: the locations to keep.
  constructor(whole, locations) {
    super({ ...whole.head, locations: locations.map((each) => whole.head.locations[each]) }, null, null);
    this.whole = whole;
    this.locations = locations;
    this.tallies = new Map();
    const kept = new Map();
    this.values = {
      has: (metric) => whole.values.has(metric),
      get: (metric) => {
        if (!kept.has(metric)) kept.set(metric, this.#columnsOf(metric));
        return kept.get(metric);
      },
    };
  }

  load(metrics) {
    return this.whole.load(metrics);
  }

  #columnsOf(metric) {
    const all = this.whole.values.get(metric);
    const found = new Float64Array(this.paths * this.columns);
    for (let path = 0, at = 0; path < this.paths; path++) {
      for (const location of this.locations) found[at++] = all[path * this.whole.columns + location];
    }
    return found;
  }

  byPath(metric) {
    if (!this.tallies.has(metric)) this.tallies.set(metric, this.#sumsOf(metric));
    return this.tallies.get(metric);
  }

  #sumsOf(metric) {
    const { aggregation, perRank } = this.metrics[metric];
    const values = this.values.get(metric);
    const whole = this.whole.byPath(metric);
    const found = Tally.nothing(aggregation, this.paths);
    for (let path = 0; path < this.paths; path++) {
      if (!(whole.known[path] + whole.gaps[path])) continue; // a metric of whole processes has values only at the root
      for (let location = 0; location < this.columns; location++) {
        const value = values[path * this.columns + location];
        if (perRank && !value && this.laterThreads[location]) continue; // known for the process, not for this thread
        if (value !== value) found.gaps[path]++;
        else {
          found.known[path]++;
          found.amounts[path] = found.operation(found.amounts[path], value);
        }
      }
    }
    return found;
  }
}
