import { loadServerSettings } from "../../src/config/load.ts";
import type { Handler } from "../../src/http/exchange.ts";
import { jsonReply } from "../../src/http/replies.ts";
import { listen } from "../../src/http/transport/listener.ts";

/*
 * A server that only carries requests: the same transport, the body parsed, a small reply. The real server's
 * additional time is the cost of the event store.
 */

const BODY_BYTES_MAX = 1024 * 1024;
const { settings } = loadServerSettings({ configPath: undefined, env: (name) => Deno.env.get(name) });
const decoder = new TextDecoder();

const handler: Handler = async (request) => {
  const body: unknown = JSON.parse(decoder.decode(await request.body(BODY_BYTES_MAX)));
  return jsonReply(200, { keys: Object.keys(body as Record<string, unknown>).length });
};
const transport = listen(settings.listen, handler, { hasCapacity: () => true, onMalformed: () => {} });

Deno.addSignalListener("SIGTERM", async () => {
  await transport.close(0);
  Deno.exit(0);
});
await Deno.stdout.write(new TextEncoder().encode("listening on the address of the settings\n"));
