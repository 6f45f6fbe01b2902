// The rows of a tree (like view/browser/rows.py), computed one at a time, because there may be 100,000.
import { folded } from "./folding.js";
import { share, wholeOf } from "./shares.js";

export class Rows {
  // `basis`: determines the value that is 100 %; null for absolute values.
  constructor(browser, dimension, basis) {
    Object.assign(this, { browser, dimension, basis });
    this.pane = browser.panes[dimension];
    this.small = folded(browser, dimension);
    this.hidden = new Set([...this.small.values()].flat());
    const selected = browser.metrics[0];
    this.unit = browser.sums.metrics[selected].unit;
    if (dimension !== "metrics") {
      this.root = wholeOf(browser, dimension, "root", selected);
      this.whole = basis === null ? null : wholeOf(browser, dimension, basis, selected);
    }
    this.order = this.#order();
    this.tops = this.#tops();
  }

  get length() {
    return this.order.length;
  }

  // Returns the visible nodes in order. A node's folded children follow its other children, as the number -2 - node.
  #order() {
    const { tree } = this.pane;
    const found = [];
    const pending = [];
    const push = (parent) => {
      if (this.small.has(parent)) pending.push(-parent - 2);
      const children = tree.children(parent);
      for (let place = children.length - 1; place >= 0; place--) {
        if (!this.hidden.has(children[place])) pending.push(children[place]);
      }
    };
    push(-1);
    while (pending.length) {
      const node = pending.pop();
      found.push(node);
      if (node >= 0 && this.pane.isOpen(node)) push(node);
    }
    return found;
  }

  // Returns the upper end of each colour scale: the total, or the largest value if that is larger.
  #tops() {
    const tops = new Map();
    for (const node of this.pane.shown()) {
      const group = this.#group(node);
      if (group === null) continue;
      const [value, unit] = this.#written(node);
      const key = `${group} ${unit}`;
      tops.set(key, Math.max(tops.get(key) ?? 0, this.#least(node, unit), Math.abs(value.amount ?? 0)));
    }
    return tops;
  }

  // Returns the smallest possible upper end of a scale: the total or, in the system tree, 0, because each rank of a
  // large run has only a small share.
  #least(node, unit) {
    if (this.dimension === "system") return 0;
    return unit === "%" ? 100 : Math.abs(this.#rootOf(node).amount ?? 0);
  }

  // Returns the key that, with the unit, identifies the scale of a node; null for metrics that are not additive.
  #group(node) {
    return this.dimension === "metrics" && this.#rootOf(node).amount === null ? null : 0;
  }

  #rootOf(node) {
    return this.root ?? wholeOf(this.browser, "metrics", "root", node);
  }

  #wholeFor(node) {
    if (this.basis === null) return null;
    return this.whole ?? wholeOf(this.browser, "metrics", this.basis, node);
  }

  #written(node, value = this.browser.value(this.dimension, node)) {
    const whole = this.#wholeFor(node);
    const unit = this.dimension === "metrics" ? this.browser.sums.metrics[node].unit : this.unit;
    return whole?.amount ? [share(value, whole), "%"] : [value, unit];
  }

  row(place) {
    const node = this.order[place];
    return node < 0 ? this.#folded(-node - 2) : this.#single(node);
  }

  // Returns the position of a row among the rows with the same parent, from 1, and the number of these rows. Screen
  // readers need both, because only visible rows are in the document. `node`: null for the row of folded nodes.
  #among(above, node) {
    const { tree } = this.pane;
    const children = tree.children(above);
    const folded = this.small.get(above);
    if (!folded) return { position: tree.positions[node] + 1, siblings: children.length };
    const siblings = children.length - folded.length + 1;
    return { position: node === null ? siblings : children.filter((each) => !this.hidden.has(each)).indexOf(node) + 1, siblings };
  }

  #single(node) {
    const { tree } = this.pane;
    const [value, unit] = this.#written(node);
    const isOpen = this.pane.isOpen(node);
    const whole = isOpen && value.amount !== null ? this.#written(node, this.browser.inclusive(this.dimension, node))[0] : value;
    return {
      nodes: [node],
      ...this.#among(tree.parents[node], node),
      above: tree.parents[node],
      depth: tree.depths[node],
      label: tree.labels[node],
      state: isOpen ? "open" : tree.isLeaf(node) ? "leaf" : "closed",
      selected: this.pane.selected.has(node),
      value,
      unit,
      colour: this.#place(node, whole.amount === null ? value : whole, unit), // shows the inclusive value, as if the node were closed
      part: this.#place(node, value, unit),
    };
  }

  #folded(above) {
    const nodes = this.small.get(above);
    const [value, unit] = this.#written(nodes[0], this.browser.together(this.dimension, nodes));
    return {
      nodes,
      ...this.#among(above, null),
      above,
      depth: this.pane.tree.depths[nodes[0]],
      label: `${nodes.length} more`,
      state: "folded",
      selected: false,
      value,
      unit,
      colour: this.#place(nodes[0], value, unit),
      part: this.#place(nodes[0], value, unit),
    };
  }

  // Returns the position of a value on the scale, from 0 to 1; null if there is no scale or no value.
  #place(node, value, unit) {
    if (value.amount === null) return null;
    const top = this.tops.get(`${this.#group(node)} ${unit}`);
    if (top === undefined) return null;
    return top ? Math.min(1, Math.abs(value.amount) / top) : 0;
  }

  // Returns the upper end of the colour scale, with its unit; in the metric tree, the scale is that of the first
  // selected metric. Null if there is no scale.
  get legend() {
    const node = this.dimension === "metrics" ? this.browser.metrics[0] : 0;
    const group = this.#group(node);
    if (group === null) return null;
    const unit = this.#written(this.dimension === "metrics" ? node : this.order.find((each) => each >= 0))[1];
    const top = this.tops.get(`${group} ${unit}`);
    return top === undefined ? null : { top, unit };
  }
}
