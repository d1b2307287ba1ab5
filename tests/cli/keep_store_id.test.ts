import assert from "node:assert/strict";
import { join } from "node:path";
import { EventStore } from "../../client/mod.ts";
import { placeWithoutSource } from "../backup/made_backup.ts";
import { oddEvents } from "../backup/odd_events.ts";
import type { BackupDirectories } from "../backup/run_backup.ts";
import { sourceLines } from "../backup/stored_lines.ts";
import { placeOf } from "../client/support.ts";
import { type Ended, runCommand } from "../support/run_command.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { programCommand } from "../support/start_command.ts";
import { runInit } from "./run_init.ts";

const PROJECTIONS = [
  { type: "a/b", id: "\0\u{1f600}", payload: "" },
  { type: "seats", id: "_checkpoint", payload: '{"checkpoint":1}' },
  { type: "seats", id: "c1", payload: "\n\"'" },
];

/** Starts a server with events and projections, and stops it. */
async function oldStore(): Promise<
  { server: ServerProcess; storeId: string; lines: string[]; listed: unknown[] }
> {
  const server = await startServer();
  await server.client().append(...oddEvents);
  await server.client().request("POST", "/write", { json: { projections: { create: PROJECTIONS } } });
  const found = {
    server,
    storeId: await server.client().storeId(),
    lines: await sourceLines(server.client()),
    listed: await listedOf(server),
  };
  await server.stop();
  return found;
}

async function listedOf(server: ServerProcess): Promise<unknown[]> {
  return await Array.fromAsync(new EventStore(placeOf(server.address)).projections.list());
}

function exportTo(place: BackupDirectories, dataDir: string, ...more: string[]): Promise<Ended> {
  return place.run({ args: ["export", "--from", dataDir, "--output", "moved.ndjson", ...more] });
}

function startIn(dataDir: string): Promise<Ended> {
  const env = { SERVICE_DATA_DIR: dataDir, SERVICE_SOCKET_PATH: join(dataDir, "socket") };
  return runCommand(programCommand("server"), { env });
}

Deno.test("a store that moves keeps ID and projections, and the old one does not start until its mark is gone", async () => {
  const { server, storeId, lines, listed } = await oldStore();
  await using _old = server;
  using place = placeWithoutSource();
  const config = join(place.directory, "server.toml");
  Deno.writeTextFileSync(config, `[server]\ndataDir = "${server.dataDir}"\n`);
  const args = ["export", "--config", config, "--from-server", "--output", "moved.ndjson", "--move"];
  const { code, stderr } = await place.run({ args });
  assert.deepEqual([code, stderr], [0, ""]);
  const path = join(place.directory, "moved.ndjson");

  const made = await runInit(place.directory, ["--import", path, "--data-dir", "data", "--keep-store-id"]);
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.match(made.stdout, new RegExp(`\\nstore ${storeId}\\n11 events imported\\n$`));
  await using moved = await startServer({ env: { SERVICE_DATA_DIR: join(place.directory, "data") } });
  assert.equal(await moved.client().storeId(), storeId);
  assert.deepEqual(await sourceLines(moved.client()), lines);
  assert.deepEqual(await listedOf(moved), listed, "projections with their versions");
  assert.equal((await moved.client().request("GET", "/projections/seats/c1")).text, "\n\"'");
  const followed = new EventStore({ ...placeOf(moved.address), payload: "text" }).follow("*", {
    from: { storeId, sequence: 10 },
  });
  assert.equal((await followed.next()).value.events[0]!.sequence, 11, "checkpoints hold");
  await followed.return(undefined as never);

  const refused = await startIn(server.dataDir);
  assert.equal(refused.code, 1);
  const mark = join(server.dataDir, "service.moved");
  assert.equal(
    refused.stderr,
    `eventstore-server: ${server.dataDir}/events.db has moved: store ${storeId} was exported to ${path}; ` +
      `if the export is not in use, remove ${mark} to start here again\n`,
  );
  Deno.removeSync(mark);
  await using back = await startServer({ env: { SERVICE_DATA_DIR: server.dataDir } });
  assert.equal(await back.client().storeId(), storeId);
});

Deno.test({
  name: "the mark of a store that root moves belongs to the user of the data directory, who can read it",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const { server } = await oldStore();
    await using _old = server;
    using place = placeWithoutSource();
    const [uid, gid] = [65_533, 65_532];
    Deno.chownSync(server.dataDir, uid, gid);
    assert.equal((await exportTo(place, server.dataDir, "--move")).code, 0);
    const mark = Deno.statSync(join(server.dataDir, "service.moved"));
    assert.deepEqual([mark.uid, mark.gid, mark.mode! & 0o777], [uid, gid, 0o600]);
  },
});

Deno.test("the mark of a store that has moved does not keep another store out of its directory", async () => {
  const { server } = await oldStore();
  await using _old = server;
  using place = placeWithoutSource();
  assert.equal((await exportTo(place, server.dataDir, "--move")).code, 0);
  for (const end of ["", "-wal", "-shm"]) {
    try {
      Deno.removeSync(join(server.dataDir, `events.db${end}`));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  await using next = await startServer({ env: { SERVICE_DATA_DIR: server.dataDir } });
  assert.equal((await listedOf(next)).length, 0);
});

Deno.test("without --keep-store-id an export of a store that moves is one of its events", async () => {
  const { server, storeId, lines } = await oldStore();
  await using _old = server;
  using place = placeWithoutSource();
  await exportTo(place, server.dataDir, "--move");
  assert.equal((await runInit(place.directory, ["--import", "moved.ndjson", "--data-dir", "data"])).code, 0);
  await using other = await startServer({ env: { SERVICE_DATA_DIR: join(place.directory, "data") } });
  assert.notEqual(await other.client().storeId(), storeId);
  assert.deepEqual(await sourceLines(other.client()), lines);
  assert.deepEqual(await listedOf(other), []);
});

Deno.test("a store ID is kept only from a whole export of a store that moves", async () => {
  const { server, storeId } = await oldStore();
  await using _old = server;
  using place = placeWithoutSource();
  const keep = async (text: string): Promise<Ended> => {
    Deno.writeTextFileSync(join(place.directory, "tried"), text);
    return await runInit(place.directory, ["--import", "tried", "--data-dir", "data", "--keep-store-id"]);
  };
  assert.equal((await exportTo(place, server.dataDir)).code, 0);
  const plain = Deno.readTextFileSync(join(place.directory, "moved.ndjson"));
  assert.equal((await exportTo(place, server.dataDir, "--move")).code, 0);
  const text = Deno.readTextFileSync(join(place.directory, "moved.ndjson"));
  const faults: readonly [text: string, message: RegExp][] = [
    [plain, /it was not exported with --move, so the old store may be in use$/m],
    [
      text.replace('"seats","id":"c1"', '"seats","id":"c2"'),
      /line 15: .* different hash chain: a projection was changed$/m,
    ],
    [text.replace(/^\{"projection":.*c1.*\n/m, ""), /line 14: the trailer is not \{"complete":true/],
    [text.replace(/"version":"/, '"edition":"'), /line 12: projection: version is missing$/m],
    [text.replace(storeId, "another"), /line 15: the trailer is not \{/],
    [text.split("\n").slice(0, 13).join("\n"), /it was cut short: the trailer is missing after line 13$/m],
  ];
  for (const [changed, message] of faults) {
    const { code, stderr } = await keep(changed);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^eventstore-init: \/\S+\/tried was not imported: /);
    assert.match(stderr, message);
  }
  assert.throws(() => Deno.statSync(join(place.directory, "data/events.db")), Deno.errors.NotFound);
});

Deno.test("a move is told apart from other exports and imports on the command line", async () => {
  using place = placeWithoutSource();
  for (const args of [["--move"], ["--move", "--from", "data"], ["--move", "--output", "file"]]) {
    const { code, stderr } = await place.run({ args: ["export", ...args] });
    assert.equal(code, 2);
    assert.match(stderr, /--move needs --from and --output/);
  }
  const both = await place.run({ args: ["export", "--from-server", "--from", "data"] });
  assert.deepEqual([both.code, both.stderr.includes("only one of a store ID, --from and --from-server")], [
    2,
    true,
  ]);
  const { code, stderr } = await runInit(place.directory, ["--keep-store-id", "--import-plain", "x"]);
  assert.equal(code, 2);
  assert.match(stderr, /--keep-store-id needs --import/);
});
