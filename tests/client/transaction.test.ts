import assert from "node:assert/strict";
import { Conflict, ConnectionLost, type EventStore, Refused, type Transport } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import type { ServerProcess } from "../support/server_process.ts";
import { type Fault, FaultyTransport, ScriptedTransport } from "./faulty_transport.ts";
import { listed, note, placeOf, type SchoolEvents, sharedTestServer, storeOf } from "./support.ts";

async function texts(store: EventStore<SchoolEvents>): Promise<string[]> {
  const events = await listed(store.readAll("*"));
  return events.map((event) => event.type === "Noted" ? event.payload.text : event.type);
}

const servers = {
  B: sharedTestServer("tcp", { SERVICE_EDITION: "B" }),
  C: sharedTestServer("tcp", { SERVICE_EDITION: "C" }),
};

/** The number of open transactions, or of tickets that hold or await the turn. */
async function open(server: ServerProcess, edition: "B" | "C"): Promise<number> {
  const debug = (await server.client().request("GET", "/debug")).json<{
    transactions: { open: number };
    write: { active: unknown; queued: unknown[] };
  }>();
  if (edition === "B") return debug.transactions.open;
  return (debug.write.active === null ? 0 : 1) + debug.write.queued.length;
}

for (const edition of ["B", "C"] as const) {
  const server = servers[edition];
  const store = storeOf(server, { edition });

  Deno.test(`${edition}: a transaction reads, appends, sees its own events, and changes projections`, async () => {
    const result = await store.transaction(async (tx) => {
      assert.deepEqual(await tx.read("*"), []);
      assert.equal(await tx.getProjection("p", "1"), undefined);
      await tx.append(note("1"));
      await tx.append([note("2"), note("3", { n: "3" })]);
      await tx.append([]);
      const own = await tx.read({ identifiers: { n: "3" } });
      assert.deepEqual(own.map(({ sequence, payload }) => [sequence, payload]), [
        [edition === "B" ? undefined : 3, { text: "3" }],
      ]);
      await tx.read("*");
      await tx.writeProjections({ create: [{ type: "p", id: "1", payload: { n: 1 } }] });
      return "result";
    });
    assert.equal(result, "result");
    assert.deepEqual(await texts(store), ["1", "2", "3"]);
    await store.transaction(async (tx) => {
      const { payload, version } = (await tx.getProjection<{ n: number }>("p", "1"))!;
      assert.equal(version === "", edition === "B");
      const changed = { type: "p", id: "1", payload: { n: payload.n + 1 } };
      await tx.writeProjections({ replace: [edition === "B" ? changed : { ...changed, version }] });
    });
    assert.deepEqual((await store.projections.get("p", "1"))?.payload, { n: 2 });
    assert.equal(await open(server, edition), 0);
  });

  Deno.test(`${edition}: an error of the work passes through, and leaves neither events nor a transaction`, async () => {
    const failing = store.transaction(async (tx) => {
      await tx.read("*");
      await tx.append(note("1"));
      await tx.read("*");
      throw new RangeError("no");
    });
    await assert.rejects(failing, new RangeError("no"));
    const rejected = store.transaction(async (tx) => await tx.append(note("x".repeat(70_000))));
    await assert.rejects(rejected, (error) => error instanceof Refused && error.code === "PayloadTooLarge");
    const controller = new AbortController();
    const aborted = store.transaction(async (tx) => {
      controller.abort(new RangeError("enough"));
      await tx.read("*");
    }, { signal: controller.signal });
    await assert.rejects(aborted, new RangeError("enough"));
    assert.equal(await open(server, edition), 0);
    assert.deepEqual(await texts(store), []);
  });

  Deno.test(`${edition}: a transaction that was lost before its commit runs again; after a lost commit the outcome is unknown`, async () => {
    const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
    const store = storeOf(server, { edition, transport });
    for (const part of ["/tx", "/events"]) {
      for (const fault of ["request lost", "answer lost", "answer cut"] satisfies Fault[]) {
        let count = 0;
        transport.fault = ({ path }) => {
          const isMeant = part === "/tx" ? /^\/(tx|begin)$/.test(path) : path.endsWith(part);
          return isMeant && ++count === 1 ? fault : "none";
        };
        // If only the answer is lost, the transaction stays open until it expires, and a ticket keeps others waiting.
        if (part === "/tx" && fault !== "request lost") continue;
        await store.transaction(async (tx) => {
          const seen = await tx.read("*");
          await tx.append(note(String(seen.length)));
        });
        assert.ok(count > 1);
      }
    }
    const all = await texts(store);
    assert.deepEqual(all, all.map((_, i) => String(i)));
    for (const [fault, happened] of [["request lost", 0], ["answer lost", 1]] as const) {
      const { sequence } = await store.head();
      transport.fault = ({ path }) => path.endsWith("/commit") ? fault : "none";
      const lost = store.transaction(async (tx) => await tx.append(note("last")));
      await assert.rejects(lost, (error) => error instanceof ConnectionLost && error.outcomeUnknown);
      assert.equal((await store.head()).sequence, sequence + happened);
      assert.equal(await open(server, edition), 0);
    }
  });

  Deno.test(`${edition}: a proxy's answer to a commit is not taken for the server's`, async () => {
    const real = fetchTransport(placeOf(server.address).url!);
    const code = edition === "B" ? "TransactionNotFound" : "TicketNotActive";
    for (
      const [status, error] of [[409, "ConcurrencyException"], [404, code], [503, "Unavailable"]] as const
    ) {
      let runs = 0;
      const transport: Transport = {
        async send(request) {
          const reply = await real.send(request);
          if (!request.path.endsWith("/commit")) return reply;
          await reply.text();
          return await new ScriptedTransport({ status, body: JSON.stringify({ error }) }).send(request);
        },
      };
      const committing = storeOf(server, { edition, transport }).transaction(async (tx) => {
        runs++;
        await tx.append(note(String(status)));
      });
      await assert.rejects(committing, { code: `HTTP${status}`, outcomeUnknown: true });
      assert.equal(runs, 1, "it is not run again");
    }
    assert.deepEqual(await texts(storeOf(server, { edition })), ["409", "404", "503"]);
  });

  Deno.test(`${edition}: a good answer of a proxy to an append is not taken for the server's`, async () => {
    const real = fetchTransport(placeOf(server.address).url!);
    for (const body of ["<html>Welcome</html>", "{}"]) {
      let isSaid = false;
      const transport: Transport = {
        send(request) {
          if (isSaid || request.method !== "POST" || !request.path.endsWith("/events")) {
            return real.send(request);
          }
          isSaid = true;
          async function* pieces(): AsyncGenerator<Uint8Array> {
            yield new TextEncoder().encode(body);
          }
          return Promise.resolve({
            status: 200,
            header: () => undefined,
            text: () => Promise.resolve(body),
            pieces,
          });
        },
      };
      const store = storeOf(server, { edition, transport });
      await store.transaction((tx) => tx.append(note(body)));
      assert.ok((await texts(store)).includes(body), "it was run again, and written");
    }
  });

  Deno.test(`${edition}: twenty transactions at once on one counter: every number once, in order`, async () => {
    await Promise.all(Array.from({ length: 20 }, () =>
      store.transaction(async (tx) => {
        const events = await tx.read({ types: ["Noted"] });
        await tx.append(note(String(events.length + 1)));
      }, { attempts: 100 })));
    assert.deepEqual(await texts(store), Array.from({ length: 20 }, (_, i) => String(i + 1)));
    assert.equal(await open(server, edition), 0);
  });

  Deno.test(`${edition}: append, decide and the others say that they need edition A`, async () => {
    await assert.rejects(store.append(note("1")), { code: "WrongEdition" });
    await assert.rejects(store.writeOnce("k", note("1")), { code: "WrongEdition" });
    const projecting = store.project("p", { query: "*", initial: 0, apply: (n) => n });
    await assert.rejects(projecting.next(), { code: "WrongEdition" });
    const message = "edition A cannot do this, B or C can";
    await assert.rejects(storeOf(server).transaction(async () => {}), { code: "WrongEdition", message });
    assert.deepEqual((await store.read("*")).events, []);
  });
}

Deno.test("B: a transaction whose commit came too late runs again, up to the configured number of times", async () => {
  const store = storeOf(servers.B, { edition: "B" });
  let runs = 0;
  const losing = store.transaction(async (tx) => {
    runs++;
    await tx.read("*");
    await store.transaction(async (other) => await other.append(note("faster")));
    await tx.append(note("late"));
  }, { attempts: 3 });
  await assert.rejects(losing, Conflict);
  assert.deepEqual([runs, await texts(store)], [3, ["faster", "faster", "faster"]]);
});

Deno.test("B: calls that a caller makes at the same time run one after the other", async () => {
  const store = storeOf(servers.B, { edition: "B" });
  await store.transaction(async (tx) => {
    await Promise.all([tx.read("*"), tx.append(note("1")), tx.read("*"), tx.getProjection("p", "1")]);
  });
  assert.deepEqual(await texts(store), ["1"]);
});
