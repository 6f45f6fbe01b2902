// Writes values as the page does. Reads a list of [amount, unit] from standard input.
import { text } from "node:stream/consumers";
import { written } from "../../../view/page/src/model/units.js";

const values = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(values.map(([amount, unit]) => written({ amount, gap: "" }, unit))));
