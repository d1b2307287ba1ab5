import type { Bug, Catcher } from "./bug.ts";

const GCM = "src/store/core/sealing/aes_gcm.ts";
const CIPHER = "src/store/core/sealing/payload_cipher.ts";
const KEYS = "src/store/sqlite/writing/subject_keys.ts";
const TABLES = "src/store/sqlite/tables/subjects.ts";
const WRITER = "src/store/sqlite/writing/writer.ts";
const TRANSACTION = "src/store/sqlite/writing/write_transaction.ts";

const CONTRACT: Catcher = { tests: "tests/store/sqlite/contract.test.ts" };
const FORM: Catcher = { tests: "tests/store/core/stored_payload.test.ts" };
const BYTES: Catcher = { tests: "tests/store/sqlite/writing/forgotten_bytes.test.ts" };
const POSTGRES: Catcher = { tests: "tests/system/postgres/subjects.test.ts" };

/** A payload is encrypted badly, or a forgotten one can still be read. */
export const SUBJECT_BUGS: readonly Bug[] = [
  {
    name: "an encrypted payload is not bound to its event",
    edits: [
      { file: GCM, find: "  cipher.setAAD(about);\n", replace: "  void about;\n" },
      { file: GCM, find: "  decipher.setAAD(about);\n", replace: "  void about;\n" },
    ],
    caughtBy: FORM,
  },
  {
    name: "all payloads have the same nonce",
    edits: [{
      file: GCM,
      find: "const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));",
      replace: "const nonce = new Uint8Array(NONCE_BYTES);",
    }],
    caughtBy: FORM,
  },
  {
    name: "a payload of several subjects is encrypted with the key of the first",
    edits: [{
      file: CIPHER,
      find: "  if (only !== undefined && second === undefined) return only;\n",
      replace: "  if (only !== undefined || second === undefined) return only!;\n",
    }],
    caughtBy: FORM,
  },
  {
    name: "an event is unreadable only when the keys of all its subjects are gone",
    edits: [{
      file: "src/store/core/sealing/sealed_lines.ts",
      find: "    if (found.length < keyIds.length) {\n",
      replace: "    if (found.length === 0) {\n",
    }],
    caughtBy: CONTRACT,
  },
  {
    name: "the writer encrypts with a forgotten key that it remembers",
    edits: [{
      file: KEYS,
      find: "  forget(subject: Tag): boolean | undefined {\n    this.clear();\n",
      replace: "  forget(subject: Tag): boolean | undefined {\n",
    }],
    caughtBy: CONTRACT,
  },
  {
    name: "the writer remembers a key that was rolled back",
    edits: [{ file: WRITER, find: "    this.#keys?.clear();\n", replace: "" }],
    caughtBy: CONTRACT,
  },
  {
    name: "a server on PostgreSQL shows payloads whose keys another server has destroyed",
    edits: [{
      file: "src/store/postgres/reading/remembered_keys.ts",
      find: "name === this.#name ? this.#keys : new Map<string, Uint8Array>();",
      replace: 'name === this.#name || this.#name !== "" ? this.#keys : new Map<string, Uint8Array>();',
    }],
    caughtBy: POSTGRES,
  },
  {
    name: "a server on PostgreSQL encrypts with a key that another server has destroyed",
    edits: [{
      file: "src/store/postgres/writing/recent_keys.ts",
      find: "    this.#isShared = othersWrote;\n    if (othersWrote) this.#keys.clear();\n",
      replace: "    this.#isShared = othersWrote;\n",
    }],
    caughtBy: POSTGRES,
  },
  {
    name: "on PostgreSQL, the row of a forgotten key stays",
    edits: [{
      file: "src/store/postgres/tables/subjects.ts",
      find: "        WHERE s.token = ANY($1::uuid[]) AND s.forgotten IS NULL AND k.id = s.id`",
      replace:
        "        WHERE s.token = ANY($1::uuid[]) AND s.forgotten IS NULL AND k.id <> s.id AND k.id = s.id`",
    }],
    caughtBy: POSTGRES,
  },
  {
    name: "a forgotten key is marked and not overwritten",
    edits: [{
      file: TABLES,
      find: "  for (const [row] of inUse) eraseKey(db, BigInt(row as number));\n",
      replace: "  void eraseKey;\n",
    }],
    caughtBy: BYTES,
  },
  {
    name: "the row of a forgotten key is deleted instead of overwritten",
    edits: [{
      file: TABLES,
      find: '"UPDATE subject_key SET key = zeroblob(length(key)) WHERE row = ?"',
      replace: '"DELETE FROM subject_key WHERE row = ?"',
    }],
    caughtBy: CONTRACT,
  },
  {
    name: "a request to forget is answered before the WAL is empty",
    edits: [{
      file: WRITER,
      find: "    if (!forgets || this.#checkpoints.emptyWal()) return outcomes;\n",
      replace: "    if (!forgets || this.#keys !== undefined) return outcomes;\n",
    }],
    caughtBy: BYTES,
  },
  {
    name: "a start leaves a destroyed key in the WAL of a killed server",
    edits: [{
      file: WRITER,
      find: "    if (subjects.length > 0) writer.#checkpoints.emptyWal();\n",
      replace: "",
    }],
    caughtBy: { check: "forgets", edition: "A", rounds: 14 },
  },
  {
    name: "a key is destroyed in a transaction before that of the events that come with the request",
    edits: [{
      file: TRANSACTION,
      find: '    if (forget !== undefined && hadKey === undefined) return { kind: "unknownSubject" };\n',
      replace: '    if (forget !== undefined && hadKey === undefined) return { kind: "unknownSubject" };\n' +
        '    if (hadKey) for (const sql of ["COMMIT", "BEGIN IMMEDIATE"]) this.#db.run(sql);\n',
    }],
    caughtBy: { check: "forgets", edition: "A", rounds: 35 },
  },
  {
    name: "a key is destroyed although the condition of the write does not hold",
    edits: [{
      file: TRANSACTION,
      find: "    budget?.beginWrite();\n    const storeId = this.#storeId;\n",
      replace: "    budget?.beginWrite();\n    const storeId = this.#storeId;\n" +
        "    if (forget !== undefined) this.#keys?.forget(forget);\n",
    }],
    caughtBy: CONTRACT,
  },
  {
    name: "a request to forget does not wait for its turn",
    edits: [
      {
        file: "src/view/store_view.ts",
        find: "    return await queue.alone(admission, async () => {\n      assertAllowed();\n",
        replace: "    void [queue, admission];\n    {\n      assertAllowed();\n",
      },
      {
        file: "src/view/store_view.ts",
        find: "([outcome]) => outcome as Outcome<WriteResult>));\n    });\n",
        replace: "([outcome]) => outcome as Outcome<WriteResult>));\n    }\n",
      },
    ],
    caughtBy: { tests: "tests/editions/subjects/forgetting.test.ts" },
  },
];
