// Writes intervals as the page does. Reads a list of [start, end, steps, from, to] from standard input.
import { text } from "node:stream/consumers";
import { TimeLines } from "../../../view/page/src/model/time_lines.js";

const asked = JSON.parse(await text(process.stdin));
const told = asked.map(([start, end, steps, from, to]) => new TimeLines({ edges: [start, end], steps, metrics: [] }).span([from, to]));
console.log(JSON.stringify(told));
