// Colours that colour-blind readers can distinguish.

// Colours of amounts, from small to large: cividis (Nuñez, Anderton, Renslow 2018).
const SIZES = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];

// Colours of signed amounts: red is negative, blue positive (ColorBrewer's RdBu).
const SIGNS = ["#b2182b", "#f4a582", "#f7f7f7", "#92c5de", "#2166ac"];

// Colours of clusters, based on Okabe and Ito; each cluster also has a letter.
export const CLUSTERS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d00", "#7f7f7f"];

// Returns a colour as [red, green, blue], each from 0 to 255.
export const rgb = (hex) => [1, 3, 5].map((place) => Number.parseInt(hex.slice(place, place + 2), 16));

// Returns a function that maps a number from 0 to 1 to a colour, interpolated between the stops.
function ramp(stops) {
  const steps = stops.map(rgb);
  return (place) => {
    const at = Math.max(0, Math.min(1, place)) * (steps.length - 1);
    const low = Math.min(Math.floor(at), steps.length - 2);
    return steps[low].map((from, part) => Math.round(from + (at - low) * (steps[low + 1][part] - from)));
  };
}

export const sizeColour = ramp(SIZES);
const signed = ramp(SIGNS);

// Returns the colour for a number from -1 to 1, as [red, green, blue].
export const signColour = (place) => signed((place + 1) / 2);

export const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

// Returns black or white, whichever contrasts more with a colour (WCAG 2.1: contrast ratio, relative luminance).
export function inkOn(colour) {
  const [red, green, blue] = colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  const behind = 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  return behind / 0.05 > 1.05 / behind ? "#000" : "#fff";
}

export const clusterColour = (number) => CLUSTERS[number % CLUSTERS.length];

// Returns the colour of a mark over a chart, which differs from the colours of curves.
export const markColour = (number) => CLUSTERS[(number + 1) % CLUSTERS.length];

// Returns the colour of a region in the time lines. The NAMED largest regions have their own colours; all others share
// one.
const OTHERS = CLUSTERS.at(-1);
export const NAMED = CLUSTERS.length - 1;
export const regionColour = (place) => (place < NAMED ? CLUSTERS[place] : OTHERS);
