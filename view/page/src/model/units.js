// Numbers with units, short enough for a row (twin: view/units.py).

const TIMES = [["s", 1], ["ms", 1e-3], ["us", 1e-6]];
const VOLUMES = [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]];

function seconds(value) {
  for (const [unit, size] of TIMES) {
    if (value >= 0.9995 * size) return `${value < 999.5 * size ? digits(value / size) : (value / size).toFixed(0)} ${unit}`;
  }
  return value ? `${(value * 1e9).toFixed(0)} ns` : "0 s";
}

function volume(value) {
  for (const [unit, size] of VOLUMES) if (value >= 0.9995 * size) return `${digits(value / size)} ${unit}`;
  return `${value.toFixed(0)} B`;
}

function count(value) {
  if (value < 9995) return value.toFixed(0);
  const [mantissa, exponent] = value.toExponential(1).split("e");
  return `${mantissa}e${Number(exponent)}`;
}

// Three digits, without zeros at the end.
const digits = (value, places = 3) => {
  const written = value.toPrecision(places);
  if (written.includes("e")) return general(value, places);
  return written.includes(".") ? written.replace(/\.?0+$/, "") : written;
};

// As C's %g writes a number.
function general(value, places) {
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(places - 1).split("e");
  const power = Number(exponent);
  if (power >= -4 && power < places) return digits(value, places);
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  const size = String(Math.abs(power)).padStart(2, "0");
  return `${short}e${power < 0 ? "-" : "+"}${size}`;
}

function percent(value) {
  if (value >= 9.95) return `${value.toFixed(0)} %`;
  return value >= 0.05 || value === 0 ? `${value.toFixed(1)} %` : "< 0.1 %";
}

const WRITERS = { sec: seconds, bytes: volume, occ: count, "%": percent };
const NOTHING = new Set(["0", "0 B", "0 ns", "0 s", "0.0 %", "< 0.1 %"]);

// A value as it is shown, and the sign that is seen in it: what is rounded to nothing has none.
export function written({ amount, gap }, unit) {
  if (amount === null) return { text: gap, sign: null };
  const writer = WRITERS[unit] ?? ((value) => general(value, 6));
  const size = writer(Math.abs(amount));
  const nothing = NOTHING.has(size);
  const sign = nothing || amount === 0 ? 0 : Math.sign(amount);
  return { text: `${sign < 0 ? "-" : ""}${size}`, sign };
}

export const amount = (value, unit) => written({ amount: value !== value ? null : value, gap: "-" }, unit).text;
