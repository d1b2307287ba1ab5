import assert from "node:assert/strict";
import { type Address, Connection } from "../../../support/connection.ts";
import { pause } from "../../../support/eventually.ts";
import { toBytes } from "../fuzz/latin1.ts";
import type { CorpusCase } from "./corpus_case.ts";

const TIMEOUT_MILLISECONDS = 10_000;

const PROBE = "GET /probe HTTP/1.1\r\nHost: a\r\n\r\n";

/**
 * Sends a case and checks every answer, the requests that the handler saw, and the end of the connection.
 * @param cuts the positions where the bytes are cut into packets
 * @param seen the requests that the handler records
 */
export async function runCase(
  address: Address,
  { send, answers, end }: CorpusCase,
  cuts: readonly number[],
  seen: string[],
): Promise<void> {
  seen.length = 0;
  using connection = await Connection.open(address);
  const tooLong = setTimeout(() => connection.close(), TIMEOUT_MILLISECONDS);
  try {
    // A rejected client may find the connection closed while it still sends.
    const sending = sendSplit(connection, toBytes(send), cuts).catch(() => {});
    const statuses: string[] = [];
    for (const answer of answers) {
      const last = statuses.length === answers.length - 1;
      statuses.push(await readAnswer(connection, answer, last && end === "closed"));
    }
    await sending;
    if (end === "kept") {
      await connection.send(PROBE);
      statuses.push(await readAnswer(connection, "200 GET /probe", false));
    }
    if (end !== "closed") await connection.closeWrite();
    assert.ok(await connection.atEnd(), "more comes than what was expected");
    const expected = end === "kept" ? [...answers, "200 GET /probe"] : answers;
    assert.deepEqual(statuses, expected.map((answer) => answer.slice(0, 3)));
    assert.deepEqual(seen, expected.filter((answer) => answer.length > 3).map((answer) => answer.slice(4)));
  } finally {
    clearTimeout(tooLong);
  }
}

async function sendSplit(connection: Connection, bytes: Uint8Array, cuts: readonly number[]): Promise<void> {
  let start = 0;
  for (const end of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    await connection.send(bytes.subarray(start, end));
    start = end;
    if (start < bytes.length) await pause(1);
  }
}

/** Reads the next reply and checks its form. @returns its status */
async function readAnswer(connection: Connection, expected: string, closes: boolean): Promise<string> {
  const replyHead = await connection.readHead();
  const status = String(replyHead.status);
  if (status === "100") return status;
  assert.equal(replyHead.headers.get("connection") === "close", closes, `${status}: Connection: close`);
  if (expected.startsWith("200 HEAD ")) return status;
  const { text, cutShort } = await connection.readRest(replyHead);
  assert.ok(!cutShort, "the reply is cut short");
  assert.equal(replyHead.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.match(text, /^[\x20-\x7e]+\n$/, "a reply is one line of text");
  return status;
}
