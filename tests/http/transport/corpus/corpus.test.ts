import assert from "node:assert/strict";
import { pause } from "../../../support/eventually.ts";
import { fromBytes, toBytes } from "../fuzz/latin1.ts";
import { Random } from "../fuzz/random.ts";
import { KINDS, listening } from "../support/listening.ts";
import { corpus } from "./corpus.ts";
import { type CorpusCase, get, post } from "./corpus_case.ts";
import { echo } from "./echo.ts";
import { runCase } from "./run_case.ts";

const CUTS_MAX = 4;

/** Random positions to cut a case at, the same ones in every run. */
function cutsOf({ send }: CorpusCase): number[] {
  const random = new Random(send.length);
  return Array.from({ length: 1 + random.below(CUTS_MAX) }, () => random.below(send.length + 1));
}

for (const kind of KINDS) {
  for (const [category, cases] of Object.entries(corpus)) {
    Deno.test(`every request of the category ${category} gets its answer over ${kind}, in one packet or in several`, async () => {
      const seen: string[] = [];
      await using server = listening(kind, echo(seen));
      const failures: string[] = [];
      for (const one of cases) {
        for (const cuts of [[], cutsOf(one)]) {
          await runCase(server.address, one, cuts, seen).catch((error: Error) =>
            failures.push(`${one.name} (cut at ${cuts.join()}): ${error.message}`)
          );
        }
      }
      assert.deepEqual(failures, []);
    });
  }
}

for (const kind of KINDS) {
  Deno.test(`a client that is rejected while it sends gets its answer over ${kind}, not a reset`, async () => {
    await using server = listening(kind, echo([]));
    const rejected = [
      post("x".repeat(70_000), "Content-Length: 70000"),
      post("x".repeat(70_000), "Content-Length : 70000"),
      get("/unread", "Transfer-Encoding: chunked") + "x".repeat(70_000),
    ];
    for (const send of rejected) {
      const { address } = server;
      using conn = address.transport === "unix" ? await Deno.connect(address) : await Deno.connect(address);
      let rest = toBytes(send);
      while (rest.length > 0) rest = rest.subarray(await conn.write(rest));
      // The server has answered by now. A reset would fail the read below.
      await pause(50);
      let replies = "";
      const buffer = new Uint8Array(4096);
      for (let count; (count = await conn.read(buffer)) !== null;) {
        replies += fromBytes(buffer.subarray(0, count));
      }
      assert.match(replies, /^HTTP\/1\.1 [^]*\r\nConnection: close\r\n\r\n[^\n]+\n$/);
    }
  });
}

Deno.test("the corpus holds at least 250 requests, each under its own name", () => {
  const sent = Object.values(corpus).flat().map(({ send }) => send);
  assert.ok(new Set(sent).size >= 250, `${new Set(sent).size} different requests`);
  for (const [category, cases] of Object.entries(corpus)) {
    assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length, category);
  }
});
