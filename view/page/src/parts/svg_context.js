// A canvas context that writes SVG. It has only those functions of CanvasRenderingContext2D that the pictures use.

import { background } from "./copied_picture.js";

const LETTER = 0.6; // width of a letter relative to the font size

const escaped = (text) => String(text).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

export class SvgContext {
  constructor(width, height) {
    Object.assign(this, { width, height, fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, font: "11px system-ui, sans-serif", parts: [], path: "", left: 0, top: 0 });
  }

  translate(x, y) {
    this.left += x;
    this.top += y;
  }

  fillRect(x, y, width, height) {
    this.parts.push(`<rect x="${this.left + x}" y="${this.top + y}" width="${width}" height="${height}" fill="${this.fillStyle}"/>`);
  }

  fillText(text, x, y, most = Infinity) {
    const narrow = String(text).length * LETTER * parseFloat(this.font) > most ? ` textLength="${most}" lengthAdjust="spacingAndGlyphs"` : "";
    this.parts.push(`<text x="${this.left + x}" y="${this.top + y}" fill="${this.fillStyle}" style="font: ${escaped(this.font)}"${narrow}>${escaped(text)}</text>`);
  }

  beginPath() {
    this.path = "";
  }

  moveTo(x, y) {
    this.path += `M${this.left + x} ${this.top + y}`;
  }

  lineTo(x, y) {
    this.path += `L${this.left + x} ${this.top + y}`;
  }

  stroke() {
    this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"/>`);
  }

  // Returns the picture as text.
  get text() {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}"><rect width="100%" height="100%" fill="${background()}"/>${this.parts.join("")}</svg>`;
  }
}
