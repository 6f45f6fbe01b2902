// Numbers in the page: base 64 of gzip of their bytes, the lowest of each first (twin: view/page/packing.py).

const BYTES = { f4: 4, f8: 8 };

export async function unpacked({ kind, count }, text) {
  const planes = new Uint8Array(await inflated(text));
  const size = BYTES[kind];
  const bytes = new Uint8Array(count * size);
  for (let plane = 0; plane < size; plane++) {
    const start = plane * count;
    for (let place = 0, at = plane; place < count; place++, at += size) bytes[at] = planes[start + place];
  }
  return kind === "f4" ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
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
