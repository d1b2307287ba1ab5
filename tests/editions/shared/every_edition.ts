import { appendAs, type EditionName, EDITIONS } from "../append_as.ts";
import type { Client } from "../../support/client.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

const EVENT = { type: "t", identifiers: {}, payload: "x".repeat(1000) };

export const append = (client: Client, edition: EditionName, count = 1): Promise<number> =>
  appendAs(edition, client, ...Array(count).fill(EVENT));

/** Registers a test for each edition, with its own server. */
export function test(
  name: string,
  run: (server: ServerProcess, client: Client, edition: EditionName) => Promise<void>,
  register: (name: string, test: () => Promise<void>) => void = Deno.test,
): void {
  for (const edition of EDITIONS) {
    register(`edition ${edition}: ${name}`, async () => {
      await using server = await startServer({ env: { SERVICE_EDITION: edition } });
      await run(server, server.client(), edition);
    });
  }
}
