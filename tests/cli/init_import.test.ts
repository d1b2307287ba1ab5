import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { fillStore } from "../../bench/fill_store.ts";
import { isThere } from "../../src/files/is_there.ts";
import { makeBackup, placeWithoutSource, sampleEvents } from "../backup/made_backup.ts";
import { oddEvents } from "../backup/odd_events.ts";
import type { BackupDirectories } from "../backup/run_backup.ts";
import { sourceLines } from "../backup/stored_lines.ts";
import type { Ended } from "../support/run_command.ts";
import { startServer } from "../support/server_process.ts";
import { programCommand } from "../support/start_command.ts";
import { runInit } from "./run_init.ts";

const namesIn = (directory: string): string[] =>
  [...Deno.readDirSync(directory)].map(({ name }) => name).sort();

function importFile(place: BackupDirectories, path: string, dataDir = "data"): Promise<Ended> {
  return runInit(place.directory, ["--import", path, "--data-dir", dataDir]);
}

function assertFailed({ code, stdout, stderr }: Ended, expected: RegExp): void {
  assert.deepEqual([code, stdout], [1, ""], stderr);
  assert.match(stderr, /^eventstore-init: [^\n]+\n$/, "one line");
  assert.match(stderr, expected);
}

/** Runs init with the export on standard input. */
function importStdin(place: BackupDirectories, text: string): Promise<Ended> {
  return runInit(place.directory, ["--import", "-", "--data-dir", "data"], { stdin: text });
}

Deno.test("init --import makes a store with the very events of an export, from a file or standard input", async () => {
  await using source = await startServer();
  await source.client().append(...oddEvents);
  const expected = await sourceLines(source.client());
  await source.stop();
  using place = placeWithoutSource();
  const args = ["export", "--from", source.dataDir];
  const { stdout: text } = await place.run({ args });
  Deno.writeTextFileSync(join(place.directory, "events.ndjson"), text);
  for (const path of ["events.ndjson", "-"]) {
    const ended = path === "-" ? await importStdin(place, text) : await importFile(place, path);
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    const [, storeId] = /^\/.+\/data\/events\.db\nstore ([0-9a-f-]{36})\n11 events imported\n$/.exec(
      ended.stdout,
    )!;
    const dataDir = join(place.directory, "data");
    assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"]);
    assert.equal(Deno.statSync(join(dataDir, "events.db")).mode! & 0o777, 0o600);
    await using server = await startServer({ env: { SERVICE_DATA_DIR: dataDir } });
    const client = server.client();
    assert.equal(await client.storeId(), storeId);
    assert.deepEqual(await sourceLines(client), expected);
    const query = [{ identifiers: [{ name: "\0", value: "\0\0" }] }];
    assert.equal((await client.queryEvents(query)).events[0]!.type, "nul\0", "the index is there");
    const { events: [next] } = await client.append({ type: "next", payload: "" });
    assert.equal(next!.sequence, 12);
    await server.stop();
    Deno.removeSync(dataDir, { recursive: true });
  }
});

Deno.test("a faulty export creates no database, and an existing one is left as it is", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(20));
  const { stdout: text } = await place.run({ args: ["export"] });
  const write = (name: string, content: string): void =>
    Deno.writeTextFileSync(join(place.directory, name), content);
  write("whole", text);
  write("changed", text.replace("payload 12.", "payload 13."));
  write("cut", text.slice(0, text.indexOf("payload 15")));
  write("headless", text.slice(text.indexOf("\n") + 1));
  const faults = [
    ["missing", /missing cannot be read: No such file/],
    [".", /\. was not imported: |\. cannot be read: /],
    ["changed", /changed was not imported: line 21: the trailer has a different hash chain/],
    ["cut", /cut was not imported: line 15: the line is not valid JSON/],
    ["headless", /headless was not imported: line 1: the sequence is 2, expected 1/],
  ] as const;
  for (const [name, expected] of faults) {
    assertFailed(await importFile(place, name), expected);
    if (isThere(join(place.directory, "data"))) {
      assert.deepEqual(namesIn(join(place.directory, "data")), ["events.lock"]);
    }
  }
  assertFailed(await importStdin(place, text.slice(0, -100)), /standard input was not imported: line 21: /);

  assert.equal((await importFile(place, "whole")).code, 0);
  const path = join(place.directory, "data/events.db");
  const before = Deno.readFileSync(path);
  assertFailed(await importFile(place, "whole"), /data\/events\.db already exists; nothing was changed/);
  assert.deepEqual(Deno.readFileSync(path), before);
});

const KILLS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 300 : 8;

Deno.test(`an import killed ${KILLS} times at random moments leaves no database or a whole one, and the next one works`, async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(2000));
  await place.run({ args: ["export", "--output", "events.ndjson"] });
  const dataDir = join(place.directory, "data");
  const started = performance.now();
  const first = ["--import", "events.ndjson", "--data-dir", "data"];
  assert.equal((await runInit(place.directory, first, { isProcess: true })).code, 0);
  const milliseconds = performance.now() - started;
  let unfinished = 0;
  const areEnough = (): boolean => unfinished >= KILLS / 5;
  // On a loaded machine more kills come too early or too late.
  for (let kill = 0; kill < KILLS || !areEnough() && kill < 10 * KILLS; kill++) {
    if (isThere(join(dataDir, "events.db"))) Deno.removeSync(dataDir, { recursive: true });
    const [program, ...args] = programCommand("init");
    const child = new Deno.Command(program, {
      args: [...args, "--import", "events.ndjson", "--data-dir", "data"],
      cwd: place.directory,
      stdout: "null",
      stderr: "null",
    }).spawn();
    await delay(Math.random() * milliseconds);
    try {
      child.kill("SIGKILL");
    } catch {
      // It has just ended.
    }
    await child.status;
    if (isThere(join(dataDir, "events.db.new"))) unfinished++;
    if (!isThere(join(dataDir, "events.db"))) continue;
    const { stdout } = await place.run({ args: ["export", "--from", "data"] });
    assert.equal(stdout, Deno.readTextFileSync(join(place.directory, "events.ndjson")));
  }
  assert.ok(areEnough(), `only ${unfinished} kills came in the middle`);
  if (isThere(join(dataDir, "events.db"))) Deno.removeSync(dataDir, { recursive: true });
  assert.equal((await importFile(place, "events.ndjson")).code, 0);
  assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"], "remains are cleared away");
});

const RESIDENT_MEBIBYTES_MAX = 450;

Deno.test("100,000 events go out and in again, byte for byte and in bounded memory", async () => {
  using place = placeWithoutSource();
  fillStore(join(place.directory, "source"), 100_000);
  const run = async (name: "backup" | "init", args: readonly string[]): Promise<number> => {
    const [program, ...rest] = programCommand(name);
    const child = new Deno.Command(program, {
      args: [...rest, ...args],
      cwd: place.directory,
      stdout: "null",
    }).spawn();
    const highest = watchMemory(child.pid);
    assert.equal((await child.status).code, 0);
    return highest();
  };
  const measured = [
    await run("backup", ["export", "--from", "source", "--output", "out.ndjson"]),
    await run("init", ["--import", "out.ndjson", "--data-dir", "copy"]),
    await run("backup", ["export", "--from", "copy", "--output", "again.ndjson"]),
  ];
  const [out, again] = ["out.ndjson", "again.ndjson"].map((name) =>
    Deno.readFileSync(join(place.directory, name))
  );
  assert.ok(out!.length > 30_000_000);
  assert.ok(out!.every((byte, i) => byte === again![i]) && out!.length === again!.length);
  for (const mebibytes of measured) {
    assert.ok(mebibytes > 0 && mebibytes < RESIDENT_MEBIBYTES_MAX, `${measured.join(", ")} MiB`);
  }
});

/** Reads the peak memory of a process while it runs. @returns a function for the last value, in MiB */
function watchMemory(pid: number): () => number {
  let mebibytes = 0;
  const timer = setInterval(() => {
    try {
      const status = Deno.readTextFileSync(`/proc/${pid}/status`);
      mebibytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024 || mebibytes;
    } catch {
      // It has ended.
    }
  }, 10);
  return () => (clearInterval(timer), Math.round(mebibytes));
}
