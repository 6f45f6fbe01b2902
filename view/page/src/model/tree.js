// A forest of named nodes, parents before children (like view/browser/tree.py).
export class Tree {
  constructor({ labels, parents, home, identities }) {
    this.labels = labels;
    this.parents = Int32Array.from(parents);
    this.home = Int32Array.from(home); // the node to which each row or column of a metric belongs
    this.identities = identities;
    this.length = labels.length;
    this.depths = new Int32Array(this.length);
    for (let node = 0; node < this.length; node++) {
      const parent = this.parents[node];
      this.depths[node] = parent < 0 ? 0 : this.depths[parent] + 1;
    }
    this.link();
  }

  // Lists the children of all nodes. The children of a node are a range in a common list, because many small lists are
  // too slow with 100,000 ranks.
  link() {
    this.first = new Int32Array(this.length + 2);
    for (let node = 0; node < this.length; node++) this.first[this.parents[node] + 2]++;
    for (let place = 1; place < this.first.length; place++) this.first[place] += this.first[place - 1];
    this.below = new Int32Array(this.length);
    this.positions = new Int32Array(this.length); // each node's position among its siblings
    const next = this.first.slice();
    for (let node = 0; node < this.length; node++) {
      const parent = this.parents[node];
      const at = next[parent + 1]++;
      this.below[at] = node;
      this.positions[node] = at - this.first[parent + 1];
    }
  }

  // Returns the children of a node, or the roots for -1.
  children(node) {
    return this.below.subarray(this.first[node + 1], this.first[node + 2]);
  }

  isLeaf(node) {
    return this.first[node + 1] === this.first[node + 2];
  }

  ancestors(node) {
    const found = [];
    for (let above = this.parents[node]; above >= 0; above = this.parents[above]) found.push(above);
    return found;
  }

  root(node) {
    return this.ancestors(node).at(-1) ?? node;
  }

  // Returns nodes and their descendants, parents first. `into`: nodes whose children are included; null for all.
  walk(starts, into = null) {
    const found = [];
    const pending = Array.from(starts).reverse();
    while (pending.length) {
      const node = pending.pop();
      found.push(node);
      if (into !== null && !into.has(node)) continue;
      const children = this.children(node);
      for (let place = children.length - 1; place >= 0; place--) pending.push(children[place]);
    }
    return found;
  }

  // Returns, in order, the rows or columns of a metric that belong to some nodes, but not those of their descendants.
  cells(nodes) {
    const held = new Uint8Array(this.length);
    for (const node of nodes) held[node] = 1;
    const found = [];
    for (let cell = 0; cell < this.home.length; cell++) if (held[this.home[cell]]) found.push(cell);
    return found;
  }

  find(identity) {
    this.places ??= new Map(this.identities.map((each, node) => [each, node]));
    return this.places.get(identity);
  }
}
