import assert from "node:assert/strict";
import { StatementNames } from "../../audit/postgres/statement_names.ts";
import { MessageWriter } from "../../src/store/postgres/protocol/message_writer.ts";
import { joinBytes } from "../support/bytes.ts";

/** The messages of a session of the store: first its settings, then statements, each parsed once. */
function sent(): Uint8Array[] {
  const writer = new MessageWriter();
  writer.startup({ user: "u" });
  const first = writer.take();
  writer.parse("s0", "BEGIN");
  writer.execute("s0", []);
  writer.parse("s1", "SELECT $1 FOR UPDATE");
  writer.execute("s1", ["1"]);
  writer.sync();
  const second = writer.take();
  writer.execute("s1", ["2"]);
  writer.sync();
  return [first, second, writer.take()];
}

Deno.test("the statements of a client of PostgreSQL are found by their names", () => {
  const names = new StatementNames();
  assert.deepEqual(sent().map((bytes) => names.statementsIn(bytes)), [
    [],
    ["BEGIN", "SELECT $1 FOR UPDATE"],
    ["SELECT $1 FOR UPDATE"],
  ]);
});

Deno.test("however the bytes are split, each statement is found exactly once", () => {
  const bytes = joinBytes(sent());
  for (let size = 1; size <= bytes.length; size++) {
    const names = new StatementNames();
    const asked: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      asked.push(...names.statementsIn(bytes.subarray(at, at + size)));
    }
    assert.deepEqual(asked, ["BEGIN", "SELECT $1 FOR UPDATE", "SELECT $1 FOR UPDATE"], `pieces of ${size}`);
  }
});
