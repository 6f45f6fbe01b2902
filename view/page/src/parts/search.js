// Searches all three trees. Typing lists the hits, and Enter shows one after the other.
import { useMemo, useRef, useState } from "preact/hooks";
import { html } from "../html.js";

const ORDER = ["program", "metrics", "system"];
const MOST = 12; // maximum number of hits in the list

// `trees` and `titles`: for each dimension. `show(dimension, node)`: selects a node.
export function Search({ trees, titles, show }) {
  const [query, setQuery] = useState("");
  const [seen, setSeen] = useState({ at: -1, found: "" });
  const [open, setOpen] = useState(false);
  const hits = useMemo(() => hitsOf(trees, query), [query, ...ORDER.map((each) => trees[each])]);
  const input = useRef(null);
  const found = useMemo(() => hits.map(({ dimension, node, label }) => `${dimension} ${node} ${label}`).join("\n"), [hits]);
  const at = seen.found === found ? seen.at : -1; // if the hits have changed, the first hit is next
  const setAt = (number) => setSeen({ at: number, found });

  function go(number) {
    if (!hits.length) return;
    const next = (number + hits.length) % hits.length;
    setAt(next);
    show(hits[next].dimension, hits[next].node);
  }

  function onKey(event) {
    if (event.key !== "Enter") return;
    setOpen(false);
    go(event.shiftKey ? Math.max(at, 0) - 1 : at + 1);
  }

  function onEscape(event) {
    if (event.key !== "Escape" || !listed) return;
    event.stopPropagation(); // close only the list
    setOpen(false);
    input.current.focus();
  }

  const first = hits.slice(0, MOST);
  const listed = open && first.length > 0;
  const said = !query ? "" : !hits.length ? `no name contains “${query}”` : at < 0 ? `${hits.length} found` : `${at + 1} of ${hits.length}`;
  return html`
    <div class="search" onKeyDown=${onEscape} onFocusOut=${(event) => !event.currentTarget.contains(event.relatedTarget) && setOpen(false)}>
      <span class=${hits.length || !query ? "remark" : "missed"} role="status">${said}</span>
      <label>search <input id="search" type="search" ref=${input} aria-controls=${listed ? "hits" : null} value=${query} placeholder="/" onKeyDown=${onKey}
        onInput=${(event) => { setQuery(event.currentTarget.value); setAt(-1); setOpen(true); }} /></label>
      ${listed && html`<ul class="hits" id="hits" aria-label="found" onMouseDown=${(event) => event.preventDefault()}>
        ${first.map(({ dimension, node, label }, number) => html`<li key=${`${dimension} ${node}`}><button onClick=${() => { setOpen(false); go(number); }}>${label} <small>${titles[dimension].toLowerCase()}</small></button></li>`)}
        ${hits.length > MOST && html`<li><small>and ${hits.length - MOST} more; press Enter for the next</small></li>`}
      </ul>`}
    </div>
  `;
}

// Returns the nodes whose labels contain a text, ignoring case.
function hitsOf(trees, query) {
  const wanted = query.toLowerCase();
  if (!wanted) return [];
  return ORDER.flatMap((dimension) => trees[dimension].labels.flatMap((label, node) => (label.toLowerCase().includes(wanted) ? [{ dimension, node, label }] : [])));
}
