import assert from "node:assert/strict";
import { startServer } from "../support/server_process.ts";
import { VERSION } from "../../src/config/version.ts";
import { Shell } from "./shell_address.ts";

for (const edition of ["A", "B"] as const) {
  Deno.test(`in edition ${edition}, projections are printed and deleted, one, by type or all`, async () => {
    await using server = await startServer({ env: { SERVICE_EDITION: edition } });
    const create = ["c1", "c2", "c3", "a/b"].map((id) => ({ type: "course", id, payload: `{"id":"${id}"}` }));
    const projections = { create: [...create, { type: "other", id: "o", payload: "not JSON" }] };
    const client = server.client();
    const reply = edition === "A"
      ? await client.write({ projections })
      : await client.request("POST", "/projections", { json: projections });
    assert.equal(reply.status, 200, reply.text);
    const shell = new Shell(server.address);
    const get = (...args: string[]): Promise<string> => shell.prints(["projection", "get", ...args]);

    assert.equal(await get("course", "c1"), '{"id":"c1"}\n');
    assert.equal(await get("course", "a/b"), '{"id":"a/b"}\n');
    const { version, ...rest } = JSON.parse(await get("course", "c2", "--json"));
    assert.deepEqual(rest, { type: "course", id: "c2", payload: '{"id":"c2"}' });
    await shell.fails(["projection", "delete", "course", "c2", "--if-version", "other"], 3, /version/);
    assert.equal(await shell.prints(["projection", "delete", "course", "c2", "--if-version", version]), "");
    await shell.fails(["projection", "get", "course", "c2"], 4, /there is no projection course\/c2/);
    await shell.fails(["projection", "delete", "course", "c2"], 4, /there is no projection course\/c2/);
    await shell.prints(["projection", "delete", "course", "a/b"]);
    await shell.fails(["projection", "get", "course", "a/b"], 4, /./);
    await shell.prints(["projection", "delete", "course", "--all"]);
    await shell.fails(["projection", "get", "course", "c1"], 4, /./);
    assert.equal(await get("other", "o"), "not JSON\n");
    await shell.prints(["projection", "delete", "--all"]);
    await shell.fails(["projection", "get", "other", "o"], 4, /./);
    await shell.fails(["projection", "get", ".", "o"], 2, /whose type or id is "\."/);
  });
}

Deno.test("health says that the server is well, and whether it is paused; that writes fail is 9", async () => {
  await using a = await startServer();
  const shell = new Shell(a.address);
  assert.equal(await shell.prints(["health"]), `ok, version ${VERSION}\n`);
  assert.deepEqual(JSON.parse(await shell.prints(["health", "--json"])), { status: "ok", version: VERSION });
  await using c = await startServer({ env: { SERVICE_EDITION: "C" } });
  assert.equal((await c.client().request("POST", "/pause")).status, 204);
  assert.equal(await new Shell(c.address).prints(["health"]), `ok, version ${VERSION}, paused\n`);
  const since = "2026-11-20T19:07:36.000000Z";
  const failing = { status: "ok", version: VERSION, writes: "failing", reason: "the disk is full", since };
  await using full = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json(failing),
  );
  const shellOfFull = new Shell({ transport: "tcp", hostname: "127.0.0.1", port: full.addr.port });
  const why =
    /^eventstore-client: http:\S+: writes fail since 2026-11-20T19:07:36.000000Z: the disk is full\n$/;
  await shellOfFull.fails(["health"], 9, why);
  const { code, stdout, stderr } = await shellOfFull.run(["health", "--json"]);
  assert.deepEqual([code, JSON.parse(stdout)], [9, failing]);
  assert.match(stderr, why);
});
