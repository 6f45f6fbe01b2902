// Numbers with units, short enough for a row (like view/units.py).

// Prepares a value for rounding to some decimals: an exact half becomes the lower neighbour if that is even, as in
// Python, which rounds halves to even.
function evened(value, places) {
  const unit = 10 ** Math.abs(places);
  const halves = places >= 0 ? value * 2 ** (places + 1) : (value * 2) / unit;
  if (!Number.isInteger(halves) || halves % 2 === 0) return value;
  const lower = Math.floor(places >= 0 ? value * unit : value / unit);
  if (lower % 2 !== 0) return value;
  return places >= 0 ? lower / unit : lower * unit;
}

const fixed = (value, places) => evened(value, places).toFixed(places);
const power = (value) => Number(value.toExponential().split("e")[1]);

const TIMES = [["s", 1], ["ms", 1e-3], ["us", 1e-6]];
const ENERGIES = [["MJ", 1e6], ["kJ", 1e3], ["J", 1], ["mJ", 1e-3]];
const VOLUMES = [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]];

function seconds(value) {
  for (const [unit, size] of TIMES) {
    if (value >= 0.9995 * size) return `${value < 999.5 * size ? digits(value / size) : fixed(value / size, 0)} ${unit}`;
  }
  return value ? `${fixed(value * 1e9, 0)} ns` : "0 s";
}

function joules(value) {
  for (const [unit, size] of ENERGIES) {
    if (value >= 0.9995 * size) return `${value < 999.5 * size ? digits(value / size) : fixed(value / size, 0)} ${unit}`;
  }
  const least = fixed(value * 1e6, 0);
  return least === "0" ? "0 J" : `${least} uJ`;
}

function volume(value) {
  for (const [unit, size] of VOLUMES) if (value >= 0.9995 * size) return `${digits(value / size)} ${unit}`;
  return `${fixed(value, 0)} B`;
}

function count(value) {
  if (value < 9995) return fixed(value, 0);
  const [mantissa, exponent] = evened(value, 1 - power(value)).toExponential(1).split("e");
  return `${mantissa}e${Number(exponent)}`;
}

// Returns a number as text with at most `places` significant digits, without trailing zeros.
const digits = (value, places = 3) => {
  const written = value ? evened(value, places - 1 - power(value)).toPrecision(places) : "0";
  if (written.includes("e")) return general(value, places);
  return written.includes(".") ? written.replace(/\.?0+$/, "") : written;
};

// Returns a number as text, as %g in C writes it.
function general(value, places) {
  if (value === 0) return "0";
  const [mantissa, exponent] = evened(value, places - 1 - power(value)).toExponential(places - 1).split("e");
  const size = Number(exponent);
  if (size >= -4 && size < places) return digits(value, places);
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return `${short}e${size < 0 ? "-" : "+"}${String(Math.abs(size)).padStart(2, "0")}`;
}

function percent(value) {
  if (value >= 9.95) return `${fixed(value, 0)} %`;
  return value >= 0.05 || value === 0 ? `${fixed(value, 1)} %` : "< 0.1 %";
}

const WRITERS = { sec: seconds, bytes: volume, occ: count, J: joules, "%": percent };
export const isWritten = (unit) => unit === "" || unit in WRITERS; // whether the text of a value contains this unit
const LARGE = 999999.5; // keep equal to _LARGE in view/units.py
const NOTHING = new Set(["0", "0 B", "0 ns", "0 s", "0 J", "0.0 %", "< 0.1 %"]);

// Returns the text of a value, and the sign that the text shows: 1, -1 or 0; null if there is no value.
export function written({ amount, gap }, unit) {
  if (amount === null) return { text: gap, sign: null };
  const writer = WRITERS[unit] ?? ((value) => (value < LARGE ? general(value, 6) : count(value)));
  const size = writer(Math.abs(amount));
  if (NOTHING.has(size)) return { text: size.replace("0 ns", "0 s"), sign: 0 }; // a time that rounds to 0 ns is a rounding error
  return { text: `${amount < 0 ? "-" : ""}${size}`, sign: Math.sign(amount) };
}

export const amount = (value, unit) => written({ amount: value !== value ? null : value, gap: "-" }, unit).text;

// Returns a number, counted from 0, as letters, like the columns of a spreadsheet.
export function letters(number) {
  let text = "";
  for (let left = number + 1; left; left = Math.floor((left - 1) / 26)) text = String.fromCharCode(65 + ((left - 1) % 26)) + text;
  return text;
}
