// Prints a metric of each region as the page derives it. Reads {head, numbers, name} from standard input.
import { text } from "node:stream/consumers";
import { Experiment } from "../../../view/page/src/model/experiment.js";
import { unpacked } from "../../../view/page/src/model/numbers.js";
import { ratesOf } from "../../../view/page/src/model/rates.js";

const { head, numbers, name } = JSON.parse(await text(process.stdin));
const experiment = await Experiment.open(head, (key) => unpacked(numbers[key], numbers[key].text));
console.log(JSON.stringify(Object.fromEntries(ratesOf(experiment).map(({ region, valueOf }) => [head.regions[region][0], valueOf(name)]))));
