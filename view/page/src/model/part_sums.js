// The values of a part of the run: some locations, or an interval of time.
import { Sums } from "./sums.js";
import { Tally } from "./tally.js";

class PartSums extends Sums {
  // `whole`: the values of the whole run. `locations`: the locations to keep. `valuesOf`: returns the values of a
  // loaded metric, by call path and kept location.
  constructor(whole, locations, valuesOf) {
    super({ ...whole.head, locations: locations.map((each) => whole.head.locations[each]) }, null, null);
    this.whole = whole;
    this.tallies = new Map();
    const kept = new Map();
    this.values = {
      has: (metric) => whole.values.has(metric),
      get: (metric) => {
        if (!kept.has(metric)) kept.set(metric, valuesOf(metric));
        return kept.get(metric);
      },
    };
  }

  load(metrics) {
    return this.whole.load(metrics);
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

// The values of some locations, as if only these had been measured.
export class RankSums extends PartSums {
  constructor(whole, locations) {
    super(whole, locations, (metric) => {
      const all = whole.values.get(metric);
      const found = new Float64Array(whole.paths * locations.length);
      for (let path = 0, at = 0; path < whole.paths; path++) {
        for (const location of locations) found[at++] = all[path * whole.columns + location];
      }
      return found;
    });
  }
}

// The times in an interval of the run. All other metrics are unknown.
export class IntervalSums extends PartSums {
  // `metric`: the time metric. `seconds`: the times, by call path and location. `rest`: the seconds whose call path is
  // unknown.
  constructor(whole, metric, { seconds, rest }) {
    const unknown = new Float64Array(seconds.length).fill(NaN);
    super(whole, [...whole.head.locations.keys()], (each) => (each === metric ? seconds : unknown));
    this.rest = rest;
  }
}
