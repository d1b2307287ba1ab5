import type { Handler, Reply } from "../../../../src/http/exchange.ts";
import { jsonReply } from "../../../../src/http/replies.ts";
import { listen } from "../../../../src/http/transport/listener.ts";
import { serveWithDeno } from "../../../support/deno_serve.ts";
import { textBody } from "./requests.ts";

/*
 * A server that is only a transport, `ours` or `deno`, on the given port. A further argument limits the number of
 * connections (`deno` has no such limit). It runs in its own process, so that it can have its own limit of
 * descriptors and its own share of the machine.
 */

const BODY_BYTES_MAX = 8 * 1024 * 1024;
const EVENTS = 10_000;
const CHUNK_EVENTS = 800;

const [name, port, connectionsMax] = Deno.args;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const line = `{"sequence":1234567,"time":"2026-11-20T12:00:00.000000Z","type":"OrderPlaced",` +
  `"identifiers":{"customer":"customer-4711","order":"order-0815"},"metadata":{"request":"4k2j1-9x7"},` +
  `"payload":"${"x".repeat(100)}"}\n`;
const chunk = encoder.encode(line.repeat(CHUNK_EVENTS));
const lastChunk = encoder.encode(line.repeat(EVENTS % CHUNK_EVENTS));
const trailer = encoder.encode('{"hasMore":false}\n');

/** A page of 10,000 events. Each chunk is a copy, like the chunks that a reader sends. */
async function* page(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let i = 0; i < Math.floor(EVENTS / CHUNK_EVENTS); i++) yield await Promise.resolve(chunk.slice());
  yield lastChunk.slice();
  yield trailer;
}

async function* endless(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  while (true) yield await Promise.resolve(new Uint8Array(64 * 1024));
}

const stream = (body: Reply["body"]): Reply => ({
  status: 200,
  headers: { "Content-Type": "application/x-ndjson" },
  body,
});

const handler: Handler = async (request) => {
  const body = await request.body(BODY_BYTES_MAX);
  if (request.target === "/page") return stream(page());
  if (request.target === "/endless") return stream(endless());
  if (request.target !== "/json") return textBody(200, "ok");
  const value = JSON.parse(decoder.decode(body)) as Record<string, unknown>;
  return jsonReply(200, { keys: Object.keys(value).length });
};

// Like the server. Otherwise, the runtime sets up signals later, and ends if no descriptor is free then.
Deno.addSignalListener("SIGTERM", () => Deno.exit(0));
const where = { transport: "tcp", hostname: "127.0.0.1", port: Number(port) } as const;
if (name === "ours") {
  listen(where, handler, { hasCapacity: (open) => open < Number(connectionsMax), onMalformed: () => {} });
} else serveWithDeno(where, handler);
await Deno.stdout.write(encoder.encode("listening\n"));
