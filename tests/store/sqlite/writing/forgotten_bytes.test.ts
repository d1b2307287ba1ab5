import assert from "node:assert/strict";
import { join } from "node:path";
import { EMPTY_WRITE, type StoreWrite } from "../../../../src/store/api/write.ts";
import { prepareEvent } from "../../../../src/store/core/prepare_event.ts";
import { Database } from "../../../../src/store/sqlite/connection/database.ts";
import { Reader } from "../../../../src/store/sqlite/reading/reader.ts";
import { Writer } from "../../../../src/store/sqlite/writing/writer.ts";
import { TestDirectory } from "../../test_store.ts";

/** Enough that the table of keys has many pages, and that its first page was once divided. */
const SUBJECTS = 1000;
const TOGETHER = 50;
const FORGOTTEN = 20;

function about(student: number): StoreWrite["events"][number] {
  const identifiers = [{ name: "student", value: `s${student}` }];
  return prepareEvent({ type: "t", identifiers, metadata: [], payload: "p" }, 1_700_000_000_000_000);
}

function keysIn(path: string): Map<string, string> {
  const reader = Reader.open(path);
  const keys = new Map<string, string>();
  for (let row = 0, count = 1; count > 0;) {
    const { subjects, lastRow } = reader.subjects(row);
    for (const { subject, key } of subjects) keys.set(subject.value, latin1.decode(key));
    [row, count] = [lastRow, subjects.length];
  }
  reader.close();
  return keys;
}

const latin1 = new TextDecoder("latin1");

/** The files of a directory, as text with a unit for each byte. */
function bytesIn(directory: string): string {
  return [...Deno.readDirSync(directory)].map(({ name }) =>
    latin1.decode(Deno.readFileSync(join(directory, name)))
  )
    .join("");
}

Deno.test("no byte of a forgotten key is left in any file of the store when the answer comes", () => {
  using directory = new TestDirectory();
  const path = join(directory.path, "events.db");
  const writer = Writer.open(path, ["student"], [], () => {});
  for (let first = 0; first < SUBJECTS; first += TOGETHER) {
    writer.group([{ ...EMPTY_WRITE, events: Array.from({ length: TOGETHER }, (_, i) => about(first + i)) }]);
  }
  const keys = keysIn(path);
  assert.equal(keys.size, SUBJECTS);
  for (let i = 0; i < FORGOTTEN; i++) {
    const student = i * 331 % SUBJECTS;
    const key = keys.get(`s${student}`)!;
    assert.ok(bytesIn(directory.path).includes(key), "it is there before");
    const forget = { name: "student", value: `s${student}` };
    const [outcome] = writer.group([{ ...EMPTY_WRITE, forget, events: [about(student)] }]);
    assert.ok(outcome?.kind === "done" && outcome.value.kind === "written" && outcome.value.hadKey === true);
    assert.ok(!bytesIn(directory.path).includes(key), `the key of student ${student}`);
  }
  assert.equal(keysIn(path).size, SUBJECTS);
  const left = bytesIn(directory.path);
  assert.ok(keys.values().filter((key) => left.includes(key)).toArray().length === SUBJECTS - FORGOTTEN);
  writer.reset();
  writer.close();
  const ended = bytesIn(directory.path);
  assert.ok(!keys.values().some((key) => ended.includes(key)), "a reset destroys all keys");
});

/** The stored form of all keys, without what it has in common with others: the middle of it. */
function storedKeys(path: string): string[] {
  using db = new Database(path, { readOnly: true });
  return db.all("SELECT key FROM subject_key ORDER BY row").map(([key]) =>
    latin1.decode((key as Uint8Array).subarray(20, 52))
  );
}

Deno.test("wrapping with a master key leaves no byte of the former form of a key in any file", async () => {
  using directory = new TestDirectory();
  const path = join(directory.path, "events.db");
  const [first, second] = [1, 2].map((byte) => new Uint8Array(32).fill(byte).toBase64());
  const former: string[] = [];
  for (const [turn, masterKeys] of [[], [first!], [second!, first!]].entries()) {
    const { promise: isWrapped, resolve } = Promise.withResolvers<void>();
    const writer = Writer.open(
      path,
      ["student"],
      masterKeys,
      ({ kind }) => kind === "keysWrapped" && resolve(),
    );
    if (turn === 0) {
      writer.group([{ ...EMPTY_WRITE, events: Array.from({ length: SUBJECTS }, (_, i) => about(i)) }]);
      assert.deepEqual(storedKeys(path), [...keysIn(path).values()], "without a master key");
    } else await isWrapped;
    // As `POST /forget` makes one, and destroys it.
    const forget = { name: "student", value: `s${turn}` };
    const erased = storedKeys(path)[turn]!;
    writer.group([{ ...EMPTY_WRITE, forget, events: [about(turn)] }]);
    const bytes = bytesIn(directory.path);
    assert.deepEqual([...former, erased].filter((key) => bytes.includes(key)), [], `turn ${turn}`);
    const present = storedKeys(path).filter((key) => key !== "\0".repeat(32));
    assert.equal(present.filter((key) => bytes.includes(key)).length, SUBJECTS, "the search finds keys");
    former.push(...present);
    writer.close();
  }
});
