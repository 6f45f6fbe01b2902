// Unpacks the numbers in the page. They are compressed and in Base 64: first the lowest byte of each number, then the
// next byte of each, and so on (written by view/page/packing.py).

const BYTES = { f4: 4, f8: 8 };

export async function unpacked({ kind, count }, text) {
  const planes = new Uint8Array(await inflated(text));
  const width = BYTES[kind] / 4;
  const words = new Uint32Array(count * width);
  for (let word = 0; word < width; word++) {
    const [one, two, three, four] = [0, 1, 2, 3].map((byte) => planes.subarray((4 * word + byte) * count));
    for (let place = 0, at = word; place < count; place++, at += width) {
      words[at] = one[place] | (two[place] << 8) | (three[place] << 16) | (four[place] << 24);
    }
  }
  return kind === "f4" ? new Float32Array(words.buffer) : new Float64Array(words.buffer);
}

export async function unpackedText(text) {
  return new TextDecoder().decode(await inflated(text));
}

async function inflated(text) {
  const stream = new Blob([decoded(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function decoded(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place++) bytes[place] = letters.charCodeAt(place);
  return bytes;
}
