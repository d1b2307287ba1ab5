import type { Transport } from "./transport.ts";

/**
 * Sends requests over TCP, with the `fetch` of the runtime.
 * @param url the server's URL, with the path that a proxy adds, if any; in a page, the path alone is enough
 * @param options further options of `fetch`
 * @throws TypeError when it is no such URL
 */
export function fetchTransport(url = "", options: object = {}): Transport {
  if (!/^(https?:\/\/[^/]|\/)/i.test(url)) {
    throw new TypeError(`without socketPath, url must be like http://127.0.0.1:8085, not "${url}"`);
  }
  const base = url.replace(/\/+$/, "");
  return {
    address: base,
    async send({ path, body = null, ...rest }) {
      // `fetch` may turn a write into a GET when it follows a redirect.
      const response = await fetch(base + path, { ...options, ...rest, body, redirect: "manual" });
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

/** Some browsers cannot iterate over a stream. */
async function* piecesOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
}
