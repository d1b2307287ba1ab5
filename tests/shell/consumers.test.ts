import assert from "node:assert/strict";
import { EventStore } from "../../client/mod.ts";
import { placeOf } from "../client/support.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/server_process.ts";
import { Shell } from "./shell_address.ts";

Deno.test("consumers are listed and shown, and parked events handled again or dropped", async () => {
  await using server = await startServer();
  const shell = new Shell(server.address);
  assert.equal(await shell.prints(["consumers"]), "");
  await shell.fails(["consumers", "invoices"], 4, /there is no consumer "invoices"/);
  await shell.fails(["consumers", "--retry", "all"], 2, /--retry and --drop need the name of a consumer/);
  await shell.fails(["consumers", "c", "--retry", "1", "--drop", "2"], 2, /--retry or --drop, not both/);
  await shell.fails(
    ["consumers", "c", "--drop", "x"],
    2,
    /--drop takes the sequence of a parked event or all, not "x"/,
  );

  const store = new EventStore(placeOf(server.address));
  for (let i = 1; i <= 3; i++) {
    await store.append({ type: "Ordered", identifiers: { order: `o${i}` }, payload: {} });
  }
  const end = new AbortController();
  let isBad = true;
  const running = store.consume("invoices", {
    query: { types: ["Ordered"] },
    by: "order",
    handle({ sequence }) {
      if (isBad && sequence < 3) throw new RangeError(`\u001b${sequence}`);
      return { type: "Invoiced", payload: {} };
    },
  }, { signal: end.signal, attempts: 1, partitions: 1, leaseSeconds: 1 });
  running.catch(() => {});
  const list = (): Promise<string> => shell.prints(["consumers"]);
  await eventually(
    async () => assert.equal(await list(), "LAG  PARKED  MEMBERS  NAME\n  0       2        1  invoices\n"),
    20,
  );
  const page = await shell.prints(["consumers", "invoices"]);
  assert.match(
    page,
    /^invoices: in order by order; lag 0, 1 members, 2 parked\nPARTITION +UP TO +MEMBER\n +0 +4 +\w+\n/,
  );
  assert.match(
    page,
    /\nPARKED +ATTEMPTS +TIME +ERROR\n +1 +1 +\S+Z +Ordered of "o1": RangeError: \\u001b1\n/,
  );
  const [summary] = (await shell.prints(["consumers", "--json"])).split("\n");
  assert.deepEqual(JSON.parse(summary!), {
    ...{ name: "invoices", by: "order", head: await store.head(), lag: 0, members: 1, parked: 2 },
  });
  assert.equal(JSON.parse(await shell.prints(["consumers", "invoices", "--json"])).parked.length, 2);

  await shell.fails(["consumers", "invoices", "--drop", "3"], 4, /consumer "invoices" has no parked event 3/);
  assert.equal(await shell.prints(["consumers", "invoices", "--drop", "1"]), "dropped 1 parked event\n");
  isBad = false;
  assert.equal(
    await shell.prints(["consumers", "invoices", "--retry", "all"]),
    "1 parked event will be handled again\n",
  );
  await eventually(async () => assert.match(await list(), / {2}0 {7}0 /), 20);
  assert.equal((await store.read({ types: ["Invoiced"] })).events.length, 2);
  end.abort(new Error("done"));
  await assert.rejects(running, /done/);
});
