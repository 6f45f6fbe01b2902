// Prints the colours of amounts, signs and clusters, each with the colour of text on it, as [red, green, blue].
import { CLUSTERS, inkOn, rgb, signColour, sizeColour } from "../../../view/page/src/colours.js";

const places = Array.from({ length: 1001 }, (_, place) => place / 1000);
const behind = [...places.map(sizeColour), ...places.map((place) => signColour(2 * place - 1)), ...CLUSTERS.map(rgb)];
console.log(JSON.stringify(behind.map((colour) => [colour, inkOn(colour) === "#000" ? [0, 0, 0] : [255, 255, 255]])));
