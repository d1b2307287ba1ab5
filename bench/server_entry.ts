import { loadServerSettings } from "../src/config/load.ts";
import { editionA } from "../src/editions/a_write/edition_a.ts";
import { Log } from "../src/log/log.ts";
import { startServer } from "../src/server/start_server.ts";

/*
 * The server without group commit, otherwise the same program. Only for the benchmark, which compares it with the
 * real one.
 */

const { settings } = loadServerSettings({ configPath: undefined, env: (name) => Deno.env.get(name) });

const server = await startServer({
  settings,
  edition: editionA,
  log: new Log(settings.logLevel, { line: (text) => fail(new Error(text)) }),
  reportFailure: fail,
  onBroken: (reason) => fail(new Error(reason)),
  onLost: (reason) => fail(new Error(reason)),
  onRole: () => {},
  groupWritesMax: 1,
});

Deno.addSignalListener("SIGTERM", async () => {
  await server.stop();
  Deno.exit(0);
});
await server.listen();
await Deno.stdout.write(new TextEncoder().encode("listening on the address of the settings\n"));

function fail(error: Error): never {
  throw error;
}
