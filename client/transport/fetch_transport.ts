import type { Transport } from "./transport.ts";

/**
 * Over TCP, with the `fetch` that every runtime has.
 * @param url where the server is, with the path under which a proxy shows it, if any
 */
export function fetchTransport(url: string): Transport {
  const base = url.replace(/\/+$/, "");
  return {
    async send({ path, body = null, ...rest }) {
      const response = await fetch(base + path, { ...rest, body });
      return {
        status: response.status,
        header: (name) => response.headers.get(name),
        text: () => response.text(),
        pieces: () => piecesOf(response.body!.getReader()),
      };
    },
  };
}

/** Not every browser can iterate over a stream. */
async function* piecesOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
}
