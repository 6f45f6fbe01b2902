// The communication matrix: the point-to-point messages of each pair of ranks, by sender (downwards) and receiver (to
// the right).
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { css, inkOn, signColour, sizeColour } from "../colours.js";
import { html } from "../html.js";
import { written } from "../model/units.js";
import { frame, sized, useDark } from "./canvas.js";
import { imageOfAll } from "./copied_picture.js";
import { Copies } from "./copies.js";
import { Scale } from "./scale.js";
import { SvgContext } from "./svg_context.js";

const ROOM = 900; // width and height in pixels of all cells together, unless single cells would be too large or too small
const LARGEST = 60; // maximum size of a cell in pixels
const NUMBERED = 50; // minimum size in pixels of a cell that contains its value as a number
const [LEFT, TOP, RIGHT, BOTTOM] = [64, 36, 30, 12]; // margins around the cells
const APART = 38; // minimum distance in pixels between the numbers of two ranks
const MOST_SHAPES = 65_536; // maximum number of pairs in a copied SVG; with more, only PNG is offered
const UNITS = { bytes: "bytes", messages: "occ", wait: "sec" };

export function Messages({ experiment, select }) {
  const canvas = useRef(null);
  const matrix = useMemo(() => matrixOf(experiment), [experiment]);
  const [by, setBy] = useState(() => Object.keys(UNITS).find((each) => matrix?.tops[each]) ?? "bytes");
  const [place, setPlace] = useState(null);
  const dark = useDark();
  const drawing = { matrix, by, place };
  useEffect(() => {
    if (canvas.current) draw(sized(canvas.current, matrix.width, matrix.height), { ...drawing, ink: getComputedStyle(canvas.current).color });
  }, [matrix, by, place, dark]);
  if (!matrix) return html`<p class="remark">There is no communication matrix: ${experiment.head.noMessages}.</p>`;
  const { blocks, size, name, waits, signed } = matrix;
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const [receiver, sender] = [Math.floor((event.clientX - box.left - LEFT) / size), Math.floor((event.clientY - box.top - TOP) / size)];
    return sender < 0 || receiver < 0 || sender >= blocks || receiver >= blocks ? null : { sender, receiver };
  };
  const onKeyDown = (event) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (event.key === "Enter" && place) choose(place);
    if (!step) return;
    event.preventDefault();
    const clip = (value) => Math.max(0, Math.min(blocks - 1, value));
    setPlace((from) => (from ? { sender: clip(from.sender + step[0]), receiver: clip(from.receiver + step[1]) } : { sender: 0, receiver: 0 }));
  };
  const choose = ({ sender, receiver }) => {
    const chosen = experiment.head.large ? [] : experiment.head.locations.flatMap(([process], location) => ([sender, receiver].includes(matrix.blockOf(process)) ? [location] : []));
    if (chosen.length) select(chosen);
  };
  const svg = () => {
    const context = new SvgContext(matrix.width, matrix.height);
    draw(context, { ...drawing, place: null, ink: getComputedStyle(canvas.current).color });
    return context.text;
  };
  const told = place && tell(matrix, place);
  const [canChoose, both] = [!experiment.head.large, matrix.perBlock > 1 ? "the ranks of both blocks" : "both ranks"];
  const top = matrix.tops[by];
  const few = matrix.pairs <= MOST_SHAPES;
  return html`
    <div class="map-tools">
      <label>colour <select value=${by} onChange=${(event) => setBy(event.currentTarget.value)}>
        <option value="bytes">bytes</option><option value="messages">messages</option>${waits && html`<option value="wait">waiting time of the receiver</option>`}
      </select></label>
      <span class="remark">${summary(matrix)}</span>
    </div>
    <div class="grid"><canvas ref=${canvas} tabindex="0" role="img" aria-label=${`Messages by sender and receiver; arrows move${canChoose ? `, Enter selects ${both}` : ""}. ${told ?? ""}`}
      onMouseMove=${(event) => setPlace(at(event))} onMouseLeave=${() => setPlace(null)} onClick=${(event) => at(event) && choose(at(event))} onKeyDown=${onKeyDown}></canvas></div>
    <${Scale} title=${by === "wait" ? "waiting time of the receiver" : by} low=${signed ? `${amount(-top, by)} (more)` : "0"} high=${`${amount(top, by)}${signed ? " (less)" : ""}`} colour=${(share) => colourOf(matrix, signed ? 2 * share - 1 : share)} />
    <p class="told" aria-live="polite">${told ?? `Point at a cell, or use the arrow keys, to read its values.${canChoose ? ` Click a cell to select ${both}.` : ""} Pairs without ${signed ? "a change" : "messages"} are blank.`}</p>
    ${!waits && html`<p class="remark">How long receivers waited is unknown, because the critical path was not recorded.</p>`}
    <${Copies} name="communication matrix" svg=${few && svg} image=${few ? undefined : () => imageOfAll([{ title: by, canvas: canvas.current }])} rows=${() => [
      ["sender", "receiver", "messages", "bytes", ...(waits ? ["wait (s)"] : [])],
      ...Array.from({ length: matrix.pairs }, (_, pair) => [name(matrix.senders[pair]), name(matrix.receivers[pair]), matrix.values.messages[pair], matrix.values.bytes[pair], ...(waits ? [matrix.values.wait[pair]] : [])]),
    ]} />
  `;
}

// Returns the colour of a value, which is given as a share of the largest.
const colourOf = ({ signed }, share) => (signed ? signColour(share) : sizeColour(share));

const amount = (value, by) => written({ amount: value, gap: "" }, UNITS[by]).text;

// Returns the matrix of an experiment, with the size of its picture; null if there is none.
function matrixOf({ head, messages }) {
  if (!messages) return null;
  const { ranks, perBlock, waits, besides } = head.messages;
  const pairs = messages.length / (waits ? 5 : 4);
  const column = (number) => messages.subarray(number * pairs, (number + 1) * pairs);
  const values = { messages: column(2), bytes: column(3), ...(waits && { wait: column(4) }) };
  const blocks = Math.ceil(ranks / perBlock);
  const size = Math.max(1, Math.min(LARGEST, Math.floor(ROOM / blocks)));
  const [senders, receivers] = [column(0), column(1)];
  const places = new Map(Array.from(senders, (sender, pair) => [sender * blocks + receivers[pair], pair]));
  const name = (block) => {
    const [first, last] = [block * perBlock, Math.min((block + 1) * perBlock, ranks) - 1];
    return first === last ? String(first) : `${first}-${last}`;
  };
  return {
    ...{ ranks, perBlock, waits, besides, pairs, values, blocks, size, senders, receivers, name, signed: head.difference },
    tops: Object.fromEntries(Object.entries(values).map(([key, all]) => [key, all.reduce((most, value) => Math.max(most, Math.abs(value)), 0)])),
    sums: Object.fromEntries(Object.entries(values).map(([key, all]) => [key, all.reduce((sum, value) => sum + value, 0)])),
    blockOf: (rank) => Math.floor(rank / perBlock),
    pairAt: ({ sender, receiver }) => places.get(sender * blocks + receiver),
    width: LEFT + blocks * size + RIGHT,
    height: TOP + blocks * size + BOTTOM,
  };
}

function messagesOf(count) {
  const said = amount(count, "messages");
  return `${said} ${said === "1" ? "message" : "messages"}`;
}

function summary({ sums, pairs, ranks, perBlock, waits, besides, signed }) {
  const whose = perBlock > 1 ? `blocks of ${perBlock} of ${ranks} ranks` : `${ranks} ranks`;
  const waited = waits ? `; receivers waited ${amount(sums.wait, "wait")}` : "";
  return `${signed ? "Before minus after: " : ""}${messagesOf(sums.messages)}, ${amount(sums.bytes, "bytes")}, in point-to-point calls between ${pairs} ${pairs === 1 ? "pair" : "pairs"} of ${whose}${waited}; ${besides}.`;
}

function tell({ pairAt, values, name, perBlock, waits, signed }, place) {
  const [pair, noun] = [pairAt(place), perBlock > 1 ? "ranks" : "rank"];
  const who = `${noun} ${name(place.sender)} to ${noun} ${name(place.receiver)}`;
  if (pair === undefined) return `${who}: ${signed ? "no change" : "no messages"}`;
  const [count, bytes] = [values.messages[pair], values.bytes[pair]];
  const each = count && !signed ? ` (${amount(bytes / count, "bytes")} each)` : "";
  return `${who}${signed ? ", before minus after" : ""}: ${messagesOf(count)}, ${amount(bytes, "bytes")}${each}${waits ? `; the receiver waited ${amount(values.wait[pair], "wait")}` : ""}`;
}

// Returns the smallest of 1, 2, 5, 10, 20, … that is at least `least`.
function stepFrom(least) {
  for (let power = 1; ; power *= 10) for (const digit of [1, 2, 5]) if (digit * power >= least) return digit * power;
}

function draw(context, { matrix, by, place, ink }) {
  const { blocks, size, perBlock, senders, receivers, values, tops } = matrix;
  const [right, bottom] = [LEFT + blocks * size, TOP + blocks * size];
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = ink;
  context.fillText("receiver", LEFT, 11);
  context.fillText("sender", 2, TOP - 5);
  for (let block = 0, step = stepFrom(APART / size); block < blocks; block += step) {
    const rank = String(block * perBlock);
    context.fillText(rank, LEFT + block * size + 1, TOP - 5);
    context.fillText(rank, 8, TOP + block * size + Math.max(10, size / 2 + 4), LEFT - 12);
  }
  for (let pair = 0; pair < senders.length; pair++) {
    const [value, x, y] = [values[by][pair], LEFT + receivers[pair] * size, TOP + senders[pair] * size];
    const colour = colourOf(matrix, tops[by] ? value / tops[by] : 0);
    context.fillStyle = css(colour);
    context.fillRect(x, y, size > 4 ? size - 1 : size, size > 4 ? size - 1 : size);
    if (size < NUMBERED) continue;
    context.fillStyle = inkOn(colour);
    context.fillText(amount(value, by), x + 3, y + size / 2 + 4, size - 6);
  }
  context.strokeStyle = ink;
  context.lineWidth = 1;
  context.beginPath();
  for (const [fromX, fromY, toX, toY] of [[LEFT, TOP, right, TOP], [right, TOP, right, bottom], [right, bottom, LEFT, bottom], [LEFT, bottom, LEFT, TOP]]) {
    context.moveTo(fromX - 0.5, fromY - 0.5);
    context.lineTo(toX - 0.5, toY - 0.5);
  }
  context.stroke();
  if (place) frame(context, LEFT + place.receiver * size + 1, TOP + place.sender * size + 1, Math.max(3, size - 3), Math.max(3, size - 3));
}
