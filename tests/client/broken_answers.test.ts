import assert from "node:assert/strict";
import { EventStore } from "../../client/mod.ts";
import { ScriptedTransport } from "./faulty_transport.ts";
import { onRawServers, PAGE } from "./raw_server.ts";
import { lost, note, storeOver } from "./support.ts";

Deno.test("an answer that breaks off, or is none, is a lost connection", async () => {
  await onRawServers(async (server, place) => {
    const store = new EventStore({ ...place, retrySeconds: 0 });
    for (
      const [answer, code] of [
        ["", "ConnectionLost"],
        ["nonsense\r\n\r\n", "ConnectionLost"],
        [`${PAGE}content-length: 100\r\n\r\n{"hasMore":`, "ConnectionLost"],
        [`${PAGE}transfer-encoding: chunked\r\n\r\n5\r\n{"has`, "ConnectionLost"],
        [`${PAGE}content-length: 0\r\n\r\n`, "BadAnswer"],
        [`${PAGE}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`, "BadAnswer"],
        ['HTTP/1.1 200 OK\r\ncontent-length: 16\r\n\r\n{"hasMore":false', "BadAnswer"],
      ] as const
    ) {
      server.answer = answer;
      const error = await lost(store.read("*"));
      assert.deepEqual([error.code, error.outcomeUnknown], [code, false], answer);
    }
    server.answer = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{";
    assert.equal((await lost(store.append(note("1")))).outcomeUnknown, true);
  });
});

/** Calls whose answers carry no header that only this server sends. */
const UNNAMED = ["projections", "a transaction of B", "a ticket"];

Deno.test("an answer that cannot come from this server is a lost connection", async () => {
  const page = (status: string, body: string): string =>
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  await onRawServers(async (server, place) => {
    const options = { ...place, retrySeconds: 0 };
    const [a, b, c] = (["A", "B", "C"] as const).map((edition) => new EventStore({ ...options, edition }));
    const calls: [what: string, isOutcomeUnknown: boolean, call: () => Promise<unknown>][] = [
      ["a read", false, () => a!.head()],
      ["a projection", false, () => a!.projections.get("course", "c1")],
      ["a write", true, () => a!.append(note("1"))],
      ["projections", true, () => c!.projections.write({})],
      ["a deletion", true, () => a!.projections.deleteAll()],
      ["a transaction of B", false, () => b!.transaction(() => Promise.resolve(), { attempts: 1 })],
      ["a ticket", false, () => c!.transaction(() => Promise.resolve(), { attempts: 1 })],
    ];
    for (const status of ["200 OK", "203 Non-Authoritative Information"]) {
      for (const body of ["<html>Who are you?</html>\n", '{"error":"Who"}\n', "1\n", "null\n"]) {
        server.answer = page(status, body);
        for (const [what, isOutcomeUnknown, call] of calls) {
          // Any JSON object may be an answer with versions or with a ticket.
          if (status === "200 OK" && body.startsWith("{") && UNNAMED.includes(what)) continue;
          const { outcomeUnknown } = await lost(call());
          assert.equal(outcomeUnknown, isOutcomeUnknown, `${what}, ${body}`);
        }
      }
    }
  });
});

Deno.test("after a confirmation that cannot come from this server, the outcome of a commit is unknown", async () => {
  for (
    const [edition, begun] of [["B", '{"txId":"1"}'], ["C", '{"ticket":"1"}']] as const
  ) {
    const transport = new ScriptedTransport({ status: 200, body: begun }, { status: 200, body: "Welcome!" });
    const store = storeOver(transport, { edition, retrySeconds: 0 });
    const { outcomeUnknown } = await lost(store.transaction(() => Promise.resolve()));
    assert.equal(outcomeUnknown, true);
    const begins = transport.requests.filter(({ path }) => ["/tx", "/begin"].includes(path));
    assert.equal(begins.length, 1, "the transaction runs once");
  }
});

Deno.test("a page in a transaction without its last line is not taken for a whole one", async () => {
  const event = JSON.stringify({ sequence: 1, type: "t", identifiers: {}, metadata: {}, payload: "1" });
  for (
    const [edition, begun] of [["B", '{"txId":"1"}'], ["C", '{"ticket":"1"}']] as const
  ) {
    for (const body of ["", `${event}\n`, `${event}\n{"end":tr`, `${event}\n{"hasMore":fal`]) {
      const transport = new ScriptedTransport({ status: 200, body: begun }, { status: 200, body });
      const store = storeOver(transport, { edition, retrySeconds: 0 });
      const { message } = await lost(store.transaction((tx) => tx.read("*"), { attempts: 1 }));
      assert.equal(message, "half a page", `${edition}, ${body}`);
    }
  }
});

Deno.test("a redirect is rejected and not followed", async () => {
  for (const status of ["301 Moved", "302 Found", "303 See Other", "307 Again", "308 Moved"]) {
    await onRawServers(async (server, place) => {
      server.answer =
        `HTTP/1.1 ${status}\r\nlocation: https://example.com/login\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
      const store = new EventStore(place);
      const code = `HTTP${status.slice(0, 3)}`;
      const message = "a redirect to https://example.com/login";
      await assert.rejects(store.append(note("1")), { name: "Refused", code, message });
      await assert.rejects(store.head(), { name: "Refused", code, message });
      assert.equal(server.connections, 2);
    });
  }
});
