// Common functions for drawing on a canvas.
import { useEffect, useState } from "preact/hooks";

// Returns whether the theme is dark; components that call this function are drawn again when the theme changes.
export function useDark() {
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const [dark, setDark] = useState(scheme.matches);
  useEffect(() => {
    const change = () => setDark(scheme.matches);
    scheme.addEventListener("change", change);
    return () => scheme.removeEventListener("change", change);
  }, []);
  return dark;
}

// Sets the size of a canvas, in pixels of the page, at the resolution of the screen. Returns the canvas context.
export function sized(canvas, width, height) {
  const scale = globalThis.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  return context;
}

// Fills a rectangle with the pattern for missing values.
export function hatch(context, x, y, width, height) {
  context.fillStyle = "#ddd";
  context.fillRect(x, y, width, height);
  context.strokeStyle = "#888";
  context.lineWidth = 1;
  context.beginPath();
  for (let at = x; at < x + width; at += 5) {
    context.moveTo(at, y + height);
    context.lineTo(Math.min(at + height, x + width), y);
  }
  context.stroke();
}

// Draws a frame around the cell under the pointer.
export function frame(context, x, y, width, height) {
  context.strokeStyle = "#e00";
  context.lineWidth = 2;
  context.strokeRect(x, y, width, height);
}
