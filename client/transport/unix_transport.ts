import type { IncomingMessage } from "node:http";
import type { Transport } from "./transport.ts";

/**
 * Sends requests over a unix socket, with `node:http` of Deno, Node and Bun. Browsers never load it.
 *
 * Each request has its own connection, which is cheap here. If Deno reused a connection, it would not close it when
 * its request is aborted. Also, a connection that the server has just closed is never reused.
 */
export function unixTransport(socketPath: string): Transport {
  return {
    async send({ body, ...rest }) {
      // Bundlers for browsers would look for the module if they could read its name.
      const name = "node:http";
      const http: typeof import("node:http") = await import(name);
      const message = await new Promise<IncomingMessage>((resolve, reject) => {
        // When the body is passed to `end`, `http` sends its length.
        const request = http.request({ ...rest, socketPath, agent: false }, resolve).on("error", reject);
        // Bun ignores the signal.
        rest.signal.addEventListener("abort", () => request.destroy());
        request.end(body);
      });
      const pieces = () => piecesOf(message);
      return {
        status: message.statusCode!,
        header: (name) => message.headers[name] as string,
        text: () => textOf(pieces()),
        pieces,
      };
    },
  };
}

async function* piecesOf(message: IncomingMessage): AsyncGenerator<Uint8Array> {
  yield* message as AsyncIterable<Uint8Array>;
  if (!message.complete) throw new Error("the answer broke off");
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of pieces) text += decoder.decode(piece, { stream: true });
  return text;
}
