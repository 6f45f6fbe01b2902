// Exports the page's pictures, so that they look the same outside the page: as SVG with its styles, or as PNG.

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "text-anchor"];
const SVG = "http://www.w3.org/2000/svg";
const SCALE = 2; // pixels of a PNG per pixel of the page
const TITLE = 20; // height in pixels of the title of a canvas

// Returns the background colour of the page, which depends on the theme.
export const background = () => getComputedStyle(document.documentElement).backgroundColor;

// Returns an SVG of the page as text that includes the styles of its elements.
export function svgText(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, place) => {
    const style = getComputedStyle(originals[place]);
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "role", "style", "tabindex"]) element.removeAttribute(name);
  });
  const { width, height } = svg.getBoundingClientRect();
  if (!copy.hasAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  copy.setAttribute("width", Math.round(width));
  copy.setAttribute("height", Math.round(height));
  const behind = document.createElementNS(SVG, "rect");
  for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", background()]]) behind.setAttribute(name, value);
  copy.prepend(behind);
  return new XMLSerializer().serializeToString(copy);
}

// Returns a PNG of an SVG (given as text), as a data URL. Throws an error if the browser cannot draw the picture.
export async function imageOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  return drawn(SCALE * image.naturalWidth, SCALE * image.naturalHeight, (context) => context.drawImage(image, 0, 0, SCALE * image.naturalWidth, SCALE * image.naturalHeight));
}

// Returns a PNG of several canvases, one below the other, each with its title above it, as a data URL. Throws an error
// if the browser cannot draw the picture.
export function imageOfAll(canvases) {
  const scale = globalThis.devicePixelRatio || 1;
  const heights = canvases.map(({ canvas }) => canvas.height + TITLE * scale);
  return drawn(Math.max(...canvases.map(({ canvas }) => canvas.width)), heights.reduce((sum, each) => sum + each, 0), (context) => {
    context.fillStyle = getComputedStyle(document.body).color;
    context.font = `${12 * scale}px system-ui, sans-serif`;
    let top = 0;
    canvases.forEach(({ title, canvas }, place) => {
      context.fillText(title, 4 * scale, top + 14 * scale);
      context.drawImage(canvas, 0, top + TITLE * scale);
      top += heights[place];
    });
  });
}

function drawn(width, height, draw) {
  const canvas = Object.assign(document.createElement("canvas"), { width: Math.ceil(width), height: Math.ceil(height) });
  const context = canvas.getContext("2d");
  context.fillStyle = background();
  context.fillRect(0, 0, canvas.width, canvas.height);
  draw(context);
  const made = canvas.toDataURL("image/png");
  if (!made.startsWith("data:image/png")) throw new RangeError("the picture is too large"); // for such pictures, browsers return "data:,"
  return made;
}

// Returns the image that a data URL contains.
export function blobOf(address) {
  const bytes = atob(address.split(",")[1]);
  return new Blob([Uint8Array.from(bytes, (letter) => letter.charCodeAt(0))], { type: "image/png" });
}
