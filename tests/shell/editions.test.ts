import assert from "node:assert/strict";
import { startServer } from "../support/server_process.ts";
import { Shell } from "./shell_address.ts";

const RACERS = 8;

for (const edition of ["B", "C"] as const) {
  Deno.test(`in edition ${edition}, append works as in A, but for the sequences, which it does not tell`, async () => {
    await using server = await startServer({ env: { SERVICE_EDITION: edition, SERVICE_DEV_MODE: "true" } });
    const shell = new Shell(server.address);
    const once = ["append", "--type", "t", "--tag", "a=1", "--payload", "1", "--if-none", "--tag", "a=1"];
    assert.equal(await shell.prints(["head"]), "0\n");
    assert.equal(await shell.prints(once), "");
    await shell.fails(once, 3, /not written: event 1 matches what --if-none asks for/);
    const head = (await shell.prints(["head", "--json"])).trim();
    assert.equal(await shell.prints([...once, "--after", head]), "");
    await shell.fails([...once, "--after", head], 3, /event 2 matches/);
    await shell.fails([...once, "--after", "1"], 3, /event 2 matches/);
    assert.equal(await shell.prints([...once, "--after", "2"]), "");
    assert.equal(
      await shell.prints(["append", "-"], { stdin: '{"type":"t","payload":"2"}\n'.repeat(3) }),
      "",
    );
    if (edition === "C") {
      await shell.fails(["projection", "delete", "--all"], 1, /NotPaused: .* during a pause/);
    }
    await server.client().request("POST", "/pause");
    await shell.fails(once, 3, /event 1 matches/);
    await shell.fails(["append", "--type", "t", "--payload", "2"], 5, /Paused: .* until POST \/resume/);
    await shell.prints(["projection", "delete", "--all"]);
    await server.client().request("POST", "/resume");
    const json = await shell.prints(["read", "--json"]);
    assert.deepEqual(json.split("\n").slice(0, -1).map((line) => JSON.parse(line).payload), [
      "1",
      "1",
      "1",
      "2",
      "2",
      "2",
    ]);
    const elsewhere = JSON.stringify({ storeId: crypto.randomUUID(), sequence: 1000 });
    await shell.fails([...once, "--after", elsewhere], 3, /the position is of store/);
    assert.equal(await shell.prints(["head"]), "6\n");
    const race = ["append", "--type", "t", "--tag", "a=2", "--payload", "1", "--if-none", "--tag", "a=2"];
    const codes = (await Promise.all(Array.from({ length: RACERS }, () => shell.run(race, { stdin: "" }))))
      .map(({ code }) => code);
    assert.deepEqual(codes.sort(), [0, ...Array(RACERS - 1).fill(3)]);
  });
}
