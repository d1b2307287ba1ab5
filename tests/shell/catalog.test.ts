import assert from "node:assert/strict";
import { Shell } from "./shell_address.ts";

Deno.test("types and stats say which events they are about while the server is still counting", async () => {
  const catalog = {
    store: "one",
    afterSequence: 3,
    lastEventTime: "2026-11-20T19:07:36.048101Z",
    types: [{ type: "CourseDefined", count: 2, first: 1, last: 3 }],
    identifiers: [],
  };
  let head = 5;
  await using store = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ method }) => {
    if (method === "GET") return Response.json(catalog);
    const headers = { "X-Service-Store": "one", "X-Service-Head": String(head) };
    return new Response('{"hasMore":false}\n', { headers });
  });
  const shell = new Shell({ transport: "tcp", hostname: "127.0.0.1", port: store.addr.port });
  const counting =
    "eventstore-client: the server is still counting: this is about the events up to sequence 3 of 5\n";
  for (const verb of ["types", "stats"]) {
    for (const args of [[verb], [verb, "--json"]]) {
      head = 5;
      const { code, stderr } = await shell.run(args);
      assert.deepEqual([code, stderr], [0, counting], args.join(" "));
      head = 3;
      await shell.prints(args);
    }
  }
  // A token with `within` does not see event 2.
  assert.match(await shell.prints(["stats"]), /^2 events of 1 types, the last one at /);
});
