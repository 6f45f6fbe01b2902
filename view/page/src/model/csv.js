// Writes CSV. Texts that look like formulas begin with an apostrophe, so that spreadsheets do not execute them (like
// view/csv_rows.py).

const FORMULA = /^[=+\-@\t\r]/;

const cell = (value) => {
  if (value === null || value === undefined || value !== value) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvText = (rows) => rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
