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
    async send({ path, ...rest }) {
      // When a reused connection closes without an answer, Deno repeats the request, but not if its body is a Blob.
      // To repeat other methods does no harm. An empty Blob would be sent in chunks.
      const once = rest.method === "POST" && { body: new Blob([rest.body ?? " "]) };
      // `fetch` may turn a write into a GET when it follows a redirect.
      const init = { ...options, ...rest, ...once, redirect: "manual" };
      const response = await fetch(base + path, init as RequestInit);
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
  for (let piece; !(piece = await reader.read()).done;) yield piece.value;
}
