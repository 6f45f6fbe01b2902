// What the statistics found: made before the page, moved here when it is asked for.
import { useLayoutEffect, useRef } from "preact/hooks";
import { html } from "../html.js";

export function Counters() {
  const box = useRef(null);
  useLayoutEffect(() => {
    const made = document.getElementById("counters");
    if (!made) return undefined;
    const home = made.parentElement;
    made.hidden = false;
    box.current.append(made);
    return () => {
      made.hidden = true;
      home.append(made);
    };
  }, []);
  if (!document.getElementById("counters")) {
    return html`<p class="remark">This page holds no statistics: it needs at least three locations and a few metrics; <code>autoanalyzer stats EXPERIMENT correlation</code> says more.</p>`;
  }
  return html`<div ref=${box}></div>`;
}
