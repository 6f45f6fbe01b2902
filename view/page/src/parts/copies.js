// Buttons that copy a table as CSV, and a picture as SVG and PNG, to the clipboard.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { csvText } from "../model/csv.js";
import { blobOf, imageOf } from "./copied_picture.js";

// `rows`: returns the rows of a table, the titles first. `svg`: returns a picture as the text of an SVG. `image`:
// returns the data URL of a PNG, for pictures without SVG. Each of the three may be absent.
export function Copies({ name, rows, svg, image = svg && (() => imageOf(svg())) }) {
  const [said, say] = useState("");
  const [left, leave] = useState(null); // the text, or the data URL of the image, that could not be copied
  const text = useRef(null);
  useLayoutEffect(() => {
    if (left?.text) text.current.select();
  }, [left]);

  async function copyText(kind, made) {
    leave(null);
    try {
      await navigator.clipboard.writeText(made);
      say(`${kind} copied`);
    } catch {
      leave({ text: made });
      say("selected: press Ctrl+C to copy");
    }
  }

  async function copyImage() {
    leave(null);
    let made = null;
    try {
      made = await image();
      await navigator.clipboard.write([new ClipboardItem({ "image/png": blobOf(made) })]);
      say("PNG copied");
    } catch {
      if (made) leave({ image: made });
      say(made ? "to copy the picture, use its context menu" : `this browser cannot draw the picture as PNG${svg ? "; SVG may work" : ""}`);
    }
  }

  const button = (kind, act) => html`<button onClick=${act} aria-label=${`copy ${name} as ${kind}`}>${kind}</button>`;
  return html`
    <p class="copies">copy: ${rows && button("CSV", () => copyText("CSV", csvText(rows())))} ${svg && button("SVG", () => copyText("SVG", svg()))} ${image && button("PNG", copyImage)} <span role="status">${said}</span></p>
    ${left?.text && html`<textarea class="copied" ref=${text} readonly rows="5" aria-label=${name} value=${left.text}></textarea>`}
    ${left?.image && html`<img class="copied" src=${left.image} alt=${name} />`}
  `;
}
