import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeBackup, placeWithoutSource, sampleEvents } from "../../backup/made_backup.ts";
import { oddEvents } from "../../backup/odd_events.ts";
import { BackupDirectories } from "../../backup/run_backup.ts";
import {
  copyKeys,
  forget,
  ofStudent,
  payloadsOf,
  SECRET,
  subjectLines,
  SUBJECTS,
} from "../../backup/sealed_source.ts";
import { sourceLines } from "../../backup/stored_lines.ts";
import { runInit } from "../../cli/run_init.ts";
import type { Ended } from "../../support/run_command.ts";
import { startServer } from "../../support/server_process.ts";
import { programCommand } from "../../support/start_command.ts";
import { seededRandom } from "../../support/test_seed.ts";
import { textIn } from "../../../src/store/postgres/protocol/cells.ts";
import type { PostgresCluster } from "./support/cluster.ts";
import { CuttingProxy } from "./support/cutting_proxy.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { serverVariables } from "./support/shared_stores.ts";

const HEAD = /^schema eventstore of database postgres at \S+ as postgres\nstore ([0-9a-f-]{36})\n/;

/** Imports an export from standard input. */
function importText(cluster: PostgresCluster, text: string, args = ["--import", "-"]): Promise<Ended> {
  return runInit(cluster.directory, args, { env: serverVariables(cluster.url()), stdin: text });
}

/** The store that the output of init names. */
function storeIn({ code, stdout, stderr }: Ended): string {
  assert.deepEqual([code, stderr], [0, ""]);
  return HEAD.exec(stdout)![1]!;
}

async function storesIn(cluster: PostgresCluster): Promise<number> {
  const rows = await cluster.sql("SELECT nspname::text FROM pg_namespace WHERE nspname = 'eventstore'");
  return rows.length;
}

/** An export of some events. */
async function exportOf(place: BackupDirectories, args: readonly string[] = []): Promise<string> {
  const { code, stdout, stderr } = await place.run({ args: ["export", ...args] });
  assert.equal(code, 0, stderr);
  return stdout;
}

/** An export of a backup with some events. */
async function exportedEvents(count: number): Promise<string> {
  using directories = placeWithoutSource();
  makeBackup(directories, sampleEvents(count));
  return await exportOf(directories);
}

/** Starts an import without waiting for its end. */
function startImport(cluster: PostgresCluster, path: string): Deno.ChildProcess {
  const [program, ...args] = programCommand("init");
  return new Deno.Command(program, {
    args: [...args, "--import", path],
    cwd: cluster.directory,
    env: serverVariables(cluster.url()),
    stdin: path === "-" ? "piped" : "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
}

await clusterTest("events go from a file to PostgreSQL and back, byte for byte", async (cluster) => {
  await using old = await startServer();
  await old.client().append(...oddEvents);
  const oldId = await old.client().storeId();
  const lines = await sourceLines(old.client());
  await old.stop();
  using before = placeWithoutSource();
  const text = await exportOf(before, ["--from", old.dataDir]);

  const imported = await importText(cluster, text);
  assert.match(imported.stdout, new RegExp(`\n${oddEvents.length} events imported\n$`));
  const storeId = storeIn(imported);
  assert.notEqual(storeId, oldId, "a new store ID, as with a file");
  await using server = await startServer({ env: serverVariables(cluster.url()) });
  const client = server.client();
  assert.equal(await client.storeId(), storeId);
  assert.deepEqual(await sourceLines(client), lines);
  const query = [{ identifiers: [{ name: "\0", value: "\0\0" }] }];
  assert.equal((await client.queryEvents(query)).events[0]!.type, "nul\0", "the index is there");

  using place = new BackupDirectories(server.address);
  const copied = await place.run();
  assert.deepEqual([copied.code, copied.stderr], [0, ""]);
  assert.equal(await exportOf(place), text, "the same file comes out");
  const { events: [next] } = await client.append({ type: "next", payload: "" });
  assert.equal(next!.sequence, oddEvents.length + 1);
  assert.equal((await place.run()).code, 0, "only what is new is copied");
  for (
    const args of [["verify"], ["verify", "--against-source"], ["list"], ["restore", "--to", "restored"]]
  ) {
    const { code, stdout, stderr } = await place.run({ args });
    assert.equal(code, 0, `${args}: ${stdout}${stderr}`);
  }
  const moved = await runInit(place.directory, ["--import", "-", "--data-dir", "moved"], {
    stdin: await exportOf(place),
  });
  assert.equal(moved.code, 0, moved.stderr);
  const expected = await sourceLines(client);
  for (const name of ["restored", "moved"]) {
    await using file = await startServer({ env: { SERVICE_DATA_DIR: join(place.directory, name) } });
    assert.deepEqual(await sourceLines(file.client()), expected);
  }
});

await clusterTest("a faulty import leaves nothing, and a store that is there as it is", async (cluster) => {
  const text = await exportedEvents(20);
  const faults = [
    [
      text.replace("payload 12.", "payload 13."),
      /was not imported: line 21: the trailer has a different hash/,
    ],
    [text.slice(0, text.indexOf("payload 15")), /was not imported: line 15: the line is not valid JSON/],
    ["", /was not imported: it was cut short/],
  ] as const;
  for (const [faulty, expected] of faults) {
    const { code, stdout, stderr } = await importText(cluster, faulty);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^eventstore-init: [^\n]+\n$/, "one line");
    assert.match(stderr, expected);
    assert.equal(await storesIn(cluster), 0);
  }
  const plain = await importText(cluster, '{"type":"a","payload":"1"}\n', ["--import-plain", "-"]);
  const storeId = storeIn(plain);
  const rejected = await importText(cluster, text);
  assert.match(rejected.stderr, /it exists already, and was left as it is\n$/);
  const rows = await cluster.sql(
    "SELECT concat_ws(' ', id, head, body) FROM eventstore.store, eventstore.turn, eventstore.event",
  );
  assert.match(textIn(rows[0]![0]), new RegExp(`^${storeId} 1 "type":"a"`));
});

const PAUSE_MILLISECONDS = 11_000;

await clusterTest(
  "an import may come slowly, and a second one meanwhile is rejected with the reason",
  async (cluster) => {
    const text = new TextEncoder().encode(await exportedEvents(6000));
    const child = startImport(cluster, "-");
    const writer = child.stdin.getWriter();
    await writer.write(text.subarray(0, -1000));
    // PostgreSQL does not end it as frozen.
    const pause = delay(PAUSE_MILLISECONDS);
    const other = await importText(cluster, '{"type":"a"}\n', ["--import-plain", "-"]);
    assert.equal(other.code, 1);
    assert.match(other.stderr, /nothing was changed: another program is creating it at the moment\n$/);
    await pause;
    await writer.write(text.subarray(-1000));
    await writer.close();
    const { code, stderr } = await child.output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  },
);

const KILLS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 100 : 6;

await clusterTest(`an import killed ${KILLS} times leaves no store or a whole one`, async (cluster) => {
  const path = join(cluster.directory, "events.ndjson");
  Deno.writeTextFileSync(path, await exportedEvents(3000));
  const random = seededRandom(16);
  const begunAt = performance.now();
  storeIn(await runInit(cluster.directory, ["--import", path], { env: serverVariables(cluster.url()) }));
  const milliseconds = performance.now() - begunAt;
  for (let kill = 0; kill < KILLS; kill++) {
    await cluster.sql("DROP SCHEMA IF EXISTS eventstore CASCADE");
    const child = startImport(cluster, path);
    await delay(random(1000) / 1000 * milliseconds);
    try {
      child.kill("SIGKILL");
    } catch {
      // It has just ended.
    }
    await child.output();
    if (await storesIn(cluster) === 0) continue;
    const [row] = await cluster.sql(
      "SELECT concat_ws(' ', (SELECT head FROM eventstore.turn), count(*), max(sequence)) FROM eventstore.event",
    );
    assert.equal(textIn(row![0]), "3000 3000 3000");
  }
});

await clusterTest(
  "when the answer to an import's COMMIT is lost, init says what became of it",
  async (cluster) => {
    const text = await exportedEvents(100);
    await using proxy = new CuttingProxy(cluster.port);
    const env = serverVariables(cluster.url().replace(`:${cluster.port}/`, `:${proxy.port}/`));
    for (const lastArrives of [false, true]) {
      proxy.cutAt("COMMIT", { lastArrives });
      const ended = await runInit(cluster.directory, ["--import", "-"], { env, stdin: text });
      assert.equal(proxy.cuts, lastArrives ? 2 : 1);
      if (lastArrives) {
        const rows = await cluster.sql("SELECT id FROM eventstore.store, eventstore.turn WHERE head = 100");
        assert.equal(textIn(rows[0]![0]), storeIn(ended));
      } else {
        assert.equal(ended.code, 1);
        assert.match(ended.stderr, /: it was not created, and nothing was changed: [^\n]+\n$/);
        assert.equal(await storesIn(cluster), 0);
      }
    }
  },
);

await clusterTest("encrypted events go from a file to PostgreSQL with their keys", async (cluster) => {
  await using old = await startServer({ env: SUBJECTS });
  await old.client().append(ofStudent("s1"), ofStudent("s2"));
  using place = new BackupDirectories(old.address);
  const keys = await copyKeys(place);
  await forget(old, "s1");
  const list = join(place.directory, "list.ndjson");
  Deno.writeTextFileSync(list, (await subjectLines(old, "/subjects/forgotten")).join(""));
  await old.stop();
  const text = await exportOf(place, ["--from", old.dataDir]);

  const without = await importText(cluster, text);
  assert.deepEqual([without.code, await storesIn(cluster)], [1, 0]);
  const args = ["--import", "-", "--keys", keys, "--forgotten", list];
  const imported = await importText(cluster, text, args);
  assert.match(imported.stdout, /\n2 events imported\nkeys of subjects: 1 in use, 1 forgotten\n$/);
  const env = { ...serverVariables(cluster.url()), ...SUBJECTS };
  await using server = await startServer({ env });
  assert.deepEqual(await payloadsOf(server), [null, `${SECRET}s2`]);
  await forget(server, "s2");
  assert.deepEqual(await payloadsOf(server), [null, null]);
});
