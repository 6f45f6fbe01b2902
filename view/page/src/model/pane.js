// An immutable tree with its open and selected nodes (like view/browser/pane.py).
export class Pane {
  constructor(tree, { open = [], selected = [], unfolded = [] } = {}) {
    this.tree = tree;
    this.open = new Set(open);
    this.selected = new Set(selected);
    this.unfolded = new Set(unfolded); // nodes whose small children are shown in separate rows; -1 for small roots
  }

  with(parts) {
    return new Pane(this.tree, { open: this.open, selected: this.selected, unfolded: this.unfolded, ...parts });
  }

  isOpen(node) {
    return this.open.has(node) && !this.tree.isLeaf(node);
  }

  shown() {
    return this.tree.walk(this.tree.children(-1), this.open);
  }

  // Returns the nodes whose exclusive values add up to the shown values of some nodes: the open nodes themselves, and
  // the closed nodes with all their descendants.
  held(nodes) {
    return [...nodes].flatMap((node) => (this.isOpen(node) ? [node] : this.tree.walk([node])));
  }

  opened(nodes) {
    return this.with({ open: new Set([...this.open, ...nodes.filter((node) => !this.tree.isLeaf(node))]) });
  }

  // Closes nodes. If a selected node is no longer visible, its outermost closed ancestor is selected instead.
  closed(nodes) {
    const open = new Set(this.open);
    for (const node of nodes) open.delete(node);
    const visible = (node) => this.tree.ancestors(node).findLast((above) => !open.has(above)) ?? node;
    return this.with({ open, selected: new Set([...this.selected].map(visible)) });
  }

  // Selects nodes, and opens their ancestors, so that the selection is always visible.
  selecting(nodes) {
    const above = nodes.flatMap((node) => this.tree.ancestors(node));
    return this.with({ selected: new Set(nodes), open: new Set([...this.open, ...above]) });
  }

  unfolding(node) {
    return this.with({ unfolded: new Set([...this.unfolded, node]) });
  }
}
