import type { Transport } from "./transport.ts";

/**
 * Over TCP, with the `fetch` that every runtime has.
 * @param url where the server is, with the path under which a proxy shows it, if any; in a page the path alone
 * @throws TypeError when it cannot be one
 */
export function fetchTransport(url = ""): Transport {
  if (!/^(https?:\/\/[^/]|\/)/i.test(url)) {
    throw new TypeError(`without socketPath, url must be like http://127.0.0.1:8085, not "${url}"`);
  }
  const base = url.replace(/\/+$/, "");
  return {
    async send({ path, body = null, ...rest }) {
      // To follow a redirect could make a GET of a write.
      const response = await fetch(base + path, { ...rest, body, redirect: "manual" });
      return {
        // Browsers hide the status of a redirect.
        status: response.status || 302,
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
