import { html } from "../html.js";

export const TABS = [
  ["ranks", "Ranks × regions"],
  ["flat", "Flat profile"],
  ["topology", "Topology"],
  ["compare", "Compare"],
  ["counters", "Counters"],
  ["time", "Time"],
  ["account", "Account"],
  ["roofline", "Roofline"],
  ["callers", "Callers"],
  ["icicle", "Icicle"],
  ["messages", "Messages"],
];

const KEYS = "1234567890m";

// Returns the key of a tab.
export const keyOf = (place) => KEYS[place];

export function Tabs({ tab, go, children }) {
  const onKeyDown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = Math.max(0, TABS.findIndex(([name]) => name === tab));
    const next = TABS[(at + step + TABS.length) % TABS.length][0];
    go(next);
    document.getElementById(`tab-${next}`).focus();
  };
  return html`
    <div class="tabs" role="tablist" aria-label="more views" onKeyDown=${onKeyDown}>
      ${TABS.map(
        ([name, title], place) => html`<button
          key=${name}
          role="tab"
          id=${`tab-${name}`}
          aria-selected=${tab === name}
          aria-controls=${tab === name ? "panel" : undefined}
          tabindex=${tab === name || (!tab && !place) ? 0 : -1}
          onClick=${() => go(name)}
        ><kbd>${keyOf(place)}</kbd>${title}</button>`,
      )}
    </div>
    ${tab && html`<div class="panel" id="panel" role="tabpanel" aria-labelledby=${`tab-${tab}`} tabindex="0">${children}</div>`}
  `;
}
