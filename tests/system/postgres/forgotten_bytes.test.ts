import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { PostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { newEvent, storeWrite, tag } from "../../store/made_writes.ts";
import {
  aboutStudent,
  forgetting,
  payloadsOf,
  SUBJECTS,
  subjectsOf,
} from "../../store/contract/subject_writes.ts";
import { written } from "../../store/outcomes.ts";
import { FIRST, SECOND, wrapped } from "../../store/contract/master_keys.ts";
import { runInit } from "../../cli/run_init.ts";
import { pageBlock, pageStatements } from "../../support/page_block.ts";
import { inDirectory } from "../../support/directory.ts";
import type { PostgresLocation } from "../../../src/store/postgres/connection/address.ts";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";
import { POSTGRES_PROGRAMS, PostgresCluster } from "./support/cluster.ts";
import { inTime } from "./support/in_time.ts";
import { postgresTest } from "./support/postgres_test.ts";
import { openStore, serverVariables } from "./support/shared_stores.ts";

/* The promises of docs/privacy_postgres.md about the bytes of a key that was destroyed. */

const PAGE = "privacy_postgres.md";

/** The settings and the statements of an operator who wants them out of the WAL soon. */
const SETTINGS = { wal_recycle: "off", autovacuum_naptime: "1s" };
const EMPTY_WAL = pageStatements(PAGE, "SELECT pg_switch_wal();");

const STUDENTS = 100;
const OPTIONS = { subjects: SUBJECTS };

function* filesIn(directory: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(directory)) {
    if (isDirectory) yield* filesIn(join(directory, name));
    else yield join(directory, name);
  }
}

/** The directories of PostgreSQL's data that contain some bytes, also as the text in which they were sent. */
function placesOf(key: Uint8Array, { dataDirectory }: PostgresCluster): string[] {
  const places = new Set<string>();
  for (const path of filesIn(dataDirectory)) {
    let content: Buffer;
    try {
      content = Buffer.from(Deno.readFileSync(path).buffer);
    } catch {
      // PostgreSQL has just deleted it.
      continue;
    }
    if (!content.includes(Buffer.from(key)) && !content.includes(key.toHex())) continue;
    places.add(path.slice(dataDirectory.length + 1).split("/")[0]!);
  }
  return [...places].sort();
}

/** Makes the keys of some students. @returns the keys by student */
async function makeKeys(store: PostgresStore): Promise<Uint8Array[]> {
  const events = Array.from({ length: STUDENTS }, (_, i) => newEvent("t", [tag("student", `s${i}`)], "x"));
  written((await store.writer.group([storeWrite(events)]))[0]);
  return (await subjectsOf(store)).map(({ key }) => key!);
}

async function forget(store: PostgresStore, student: number): Promise<void> {
  assert.equal(written((await store.writer.group([forgetting(`s${student}`)]))[0]).hadKey, true);
}

await postgresTest(
  "after a forgetting, the bytes of the key leave the tables, and the WAL when that is emptied",
  async (programs) => {
    await using cluster = await PostgresCluster.start(programs, { settings: SETTINGS });
    const location = { address: cluster.address(), schema: "eventstore" };
    const store = await openStore(location, OPTIONS);
    const keys = await makeKeys(store);
    // Statistics contain values of the tables.
    await cluster.sql("ANALYZE", "CHECKPOINT");
    // The last row of a page, which VACUUM alone would leave there, and others.
    for (const student of [STUDENTS - 1, 0, 50]) {
      const key = keys[student]!;
      assert.ok(placesOf(key, cluster).includes("base"), "the search finds a key that is in use");
      await forget(store, student);
      await inTime(() => assert.deepEqual(placesOf(key, cluster), ["pg_wal"], "as privacy_postgres.md says"));
      await cluster.sql(...EMPTY_WAL);
      assert.deepEqual(placesOf(key, cluster), []);
      await cluster.sql("CHECKPOINT");
    }
    assert.deepEqual(placesOf(keys[1]!, cluster), ["base"], "other keys stay");
    written((await store.writer.group([aboutStudent("x", "other")]))[0]);
    const other = (await subjectsOf(store)).at(-1)!.key!;
    await store.writer.reset();
    for (const key of [keys[1]!, other]) {
      await inTime(() => assert.deepEqual(placesOf(key, cluster), ["pg_wal"], "a reset destroys all keys"));
    }
    await cluster.sql(...EMPTY_WAL);
    for (const key of [keys[1]!, keys[STUDENTS - 2]!, other]) assert.deepEqual(placesOf(key, cluster), []);
    await store.close();
  },
);

await postgresTest(
  "wrapping with a master key removes the former bytes from the tables, and new keys are in no file",
  async (programs) => {
    await using cluster = await PostgresCluster.start(programs, { settings: SETTINGS });
    const location = { address: cluster.address(), schema: "eventstore" };
    const plain = await openStore(location, OPTIONS);
    let former = await makeKeys(plain);
    await plain.close();
    for (const masterKeys of [[FIRST], [SECOND, FIRST]]) {
      await cluster.sql("ANALYZE", "CHECKPOINT");
      assert.ok(placesOf(former[0]!, cluster).includes("base"), "the search finds a key");
      const store = await openStore(location, { ...OPTIONS, masterKeys });
      await wrapped(store);
      await cluster.sql("CHECKPOINT");
      for (const key of [former[0]!, former.at(-1)!]) assert.deepEqual(placesOf(key, cluster), ["pg_wal"]);
      await cluster.sql(...EMPTY_WAL);
      for (const key of [former[0]!, former[50]!, former.at(-1)!]) {
        assert.deepEqual(placesOf(key, cluster), []);
      }
      const rows = await cluster.sql(
        "SELECT encode(substring(key FROM 21 FOR 32), 'hex') FROM eventstore.subject_key",
      );
      former = rows.map(([hex]) => Uint8Array.fromHex(new TextDecoder().decode(hex as Uint8Array)));
      written((await store.writer.group([aboutStudent("x", `other ${masterKeys.length}`)]))[0]);
      const other = (await subjectsOf(store)).at(-1)!.key!;
      await cluster.sql("CHECKPOINT");
      assert.deepEqual(placesOf(other, cluster), [], "not even in the WAL");
      await store.close();
    }
  },
);

await postgresTest(
  "where the role of the server does not own the tables, its owner removes the bytes",
  async (programs) => {
    await using cluster = await PostgresCluster.start(programs, { settings: SETTINGS });
    await cluster.sql(
      "CREATE ROLE owner LOGIN",
      "CREATE ROLE eventstore_server LOGIN",
      "CREATE DATABASE shop OWNER owner",
    );
    await inDirectory(async (directory) => {
      const env = serverVariables(cluster.url("owner", "shop"));
      for (const args of [[], ["--add-subjects"]]) {
        assert.equal((await runInit(directory, args, { env })).code, 0);
      }
    });
    const owner = cluster.address("owner", "shop");
    await cluster.sqlIn(
      owner,
      ...pageStatements("postgres.md", "GRANT USAGE ON SCHEMA eventstore TO eventstore_server;"),
      ...pageStatements(PAGE, "GRANT SELECT, INSERT, UPDATE ON eventstore.subject TO eventstore_server;"),
    );
    const location = { address: cluster.address("eventstore_server", "shop"), schema: "eventstore" };
    const store = await openStore(location, OPTIONS);
    const keys = await makeKeys(store);
    await cluster.sql("CHECKPOINT");
    await forget(store, 10);
    await inTime(async () => {
      await cluster.sql(...EMPTY_WAL);
      assert.deepEqual(placesOf(keys[10]!, cluster), [], "autovacuum has freed the row");
    });
    await forget(store, STUDENTS - 1);
    await cluster.sqlIn(owner, ...pageStatements(PAGE, "VACUUM (FULL) eventstore.subject_key;"));
    await cluster.sql(...EMPTY_WAL);
    assert.deepEqual(placesOf(keys[STUDENTS - 1]!, cluster), []);
    await store.close();
  },
);

await postgresTest("the log of PostgreSQL has keys only if it logs parameters", async (programs) => {
  for (const [more, places] of [[{}, ["log"]], [{ log_parameter_max_length: "0" }, []]] as const) {
    const logging = { logging_collector: "on", log_directory: "log", log_statement: "all" };
    await using cluster = await PostgresCluster.start(programs, {
      settings: { ...SETTINGS, ...logging, ...more },
    });
    const store = await openStore({ address: cluster.address(), schema: "eventstore" }, OPTIONS);
    const keys = await makeKeys(store);
    await store.writer.reset();
    await inTime(async () => {
      await cluster.sql(...EMPTY_WAL);
      assert.deepEqual(placesOf(keys[0]!, cluster), places);
    });
    await store.close();
  }
});

await debianTest(
  [...POSTGRES_PROGRAMS, "pg_dump", "psql"],
  "a dump without the keys makes a store in which all subjects are forgotten",
  async ({ pg_dump, psql, ...programs }) => {
    await using cluster = await PostgresCluster.start(programs);
    await cluster.sql("CREATE DATABASE shop", "CREATE DATABASE copy");
    const at = (database: string): PostgresLocation => ({
      address: cluster.address("postgres", database),
      schema: "eventstore",
    });
    const store = await openStore(at("shop"), OPTIONS);
    const keys = await makeKeys(store);
    await store.close();
    const command = pageBlock(PAGE, "pg_dump --exclude-table-data='eventstore.subject_key' shop").trim();
    const words = command.replaceAll("'", "").replace(/ shop$/, "").split(" ").slice(1);
    const dump = await outputOf(pg_dump, [...words, `--dbname=${cluster.url("postgres", "shop")}`]);
    for (const key of keys) assert.ok(!dump.includes(key.toHex()));
    await outputOf(psql, ["--quiet", `--dbname=${cluster.url("postgres", "copy")}`], dump);
    const copy = await openStore(at("copy"), OPTIONS);
    assert.deepEqual(await payloadsOf(copy.reads), keys.map(() => ["student"]));
    const [outcome] = await copy.writer.group([forgetting("s1")]);
    assert.equal(written(outcome).hadKey, false);
    written((await copy.writer.group([aboutStudent("new", "s1")]))[0]);
    assert.equal((await payloadsOf(copy.reads)).at(-1), "new");
    await copy.close();
  },
);

async function outputOf({ path, environment }: DebianProgram, args: string[], stdin = ""): Promise<string> {
  const child = new Deno.Command(path, { args, env: environment, stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdin));
  await writer.close();
  const { success, stdout } = await child.output();
  assert.ok(success);
  return new TextDecoder().decode(stdout);
}
