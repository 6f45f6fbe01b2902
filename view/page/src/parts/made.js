// Shows content that is already in the page as HTML, such as statistics and the account.
import { useLayoutEffect, useRef } from "preact/hooks";
import { html } from "../html.js";

const ABSENT = {
  counters: html`<p class="remark">This page has no statistics: they need at least three locations and a few metrics; <code>autoanalyzer stats EXPERIMENT correlation</code> shows details.</p>`,
  account: html`<p class="remark">This page has no account: only runs with at most 10,000 locations have one; <code>autoanalyzer analyze EXPERIMENT --account</code> prints the account of any run.</p>`,
};

export function Made({ name }) {
  const box = useRef(null);
  useLayoutEffect(() => {
    const made = document.getElementById(name);
    if (!made) return undefined;
    const home = made.parentElement;
    made.hidden = false;
    box.current.append(made);
    return () => {
      made.hidden = true;
      home.append(made);
    };
  }, [name]);
  return document.getElementById(name) ? html`<div ref=${box}></div>` : ABSENT[name];
}
