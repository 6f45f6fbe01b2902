// The time cells of the charts: whole steps or, after zooming in, parts of steps.

const LEAST = 2; // minimum width of a cell in pixels

export class TimeGrid {
  // `view`: start and end of the visible interval. `width`: width of this interval in pixels.
  constructor(times, [start, end], width) {
    const { fine, step } = times;
    const wide = (width * step) / fine / (end - start); // width of a part of a step, in pixels
    const sizes = Array.from({ length: fine }, (_, place) => place + 1).filter((size) => fine % size === 0);
    this.times = times;
    this.parts = sizes.find((size) => size * wide >= LEAST) ?? fine; // number of parts of a step that form one cell
    this.length = (times.steps * fine) / this.parts;
    this.size = (step * this.parts) / fine; // length of a cell, in seconds
  }

  // Returns the cell that contains a moment.
  cellAt(time) {
    return Math.max(0, Math.min(this.length - 1, Math.floor((time - this.times.start) / this.size)));
  }

  // Returns the time at which a cell begins.
  beginOf(cell) {
    return this.times.beginOf(cell * this.parts);
  }

  middle(cell) {
    return (this.beginOf(cell) + this.beginOf(cell + 1)) / 2;
  }

  // Returns the first cell that is at least half inside a range, and the cell after the last such cell.
  cellsOf([start, end]) {
    const first = this.cellAt(start + this.size / 2);
    return [first, Math.max(first, this.cellAt(end - this.size / 2)) + 1];
  }

  // Returns the first part of a step in a range, and the part after the last one in the range.
  partsOf(range) {
    return this.cellsOf(range).map((cell) => cell * this.parts);
  }

  // Returns the main call path of a row in a cell.
  pathAt(row, cell) {
    return this.times.mostMet(row, [cell * this.parts, (cell + 1) * this.parts]);
  }

  // Returns a moment in seconds as text, with the number of decimals that the cells justify.
  moment(time) {
    return this.times.moment(time, this.size);
  }
}
