import assert from "node:assert/strict";
import { EDITION_INTERFACES } from "../../tools/openapi/editions.ts";
import { Replay } from "../support/openapi/replay.ts";
import { sharedServer } from "../support/server_process.ts";
import { methodsOf, withoutHead } from "./methods.ts";

/* The examples of the documents, sent to the real server. Every answer is also compared with its schemas. */

/** All operations exist, and no transaction of edition C ends because the machine is slow. */
const SETTINGS = {
  SERVICE_SUBJECTS: "student",
  SERVICE_TRANSACTION_TIMEOUT: "60",
  SERVICE_MAX_TRANSACTION_DURATION: "60",
};

for (const edition of EDITION_INTERFACES) {
  const server = sharedServer({ listen: "unix", env: { SERVICE_EDITION: edition.name, ...SETTINGS } });

  Deno.test(`edition ${edition.name}: the server answers each example as its document says`, async (t) => {
    const replay = new Replay(server.client());
    for (const exchange of edition.exchanges) {
      // Later exchanges depend on earlier ones, so the first failure ends the test.
      if (!await t.step(`${exchange.operation}: ${exchange.name}`, () => replay.send(exchange))) return;
    }
  });

  Deno.test(`edition ${edition.name}: the server allows the documented methods on each path`, async () => {
    for (const [path, methods] of methodsOf(edition)) {
      const reply = await server.client().request("PUT", path.replaceAll(/\{\w+\}/g, "x"));
      assert.deepEqual(withoutHead((reply.headers.get("allow") ?? "").split(", ")), methods, path);
    }
  });
}
