import assert from "node:assert/strict";
import { join } from "node:path";
import { appendAs, type EditionName, EDITIONS } from "../../editions/append_as.ts";
import { NoReply } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { MEBIBYTE, type SmallDisk, smallDiskDebianTest } from "../support/small_disk.ts";
import { shownOf } from "./dashboard.ts";
import { hostAndPort, Prometheus } from "./prometheus.ts";

/* A night with a full disk: the message that an operator gets from each edition, and where it shows. */

const EVENT = { type: "t", identifiers: {}, payload: "x".repeat(60_000) };

/** The line in the access log of the call that fails. */
const FAILED_CALL: Readonly<Record<EditionName, RegExp>> = {
  A: /^eventstore-server: \[ERROR\] POST \/write 507 /m,
  B: /^eventstore-server: \[ERROR\] POST \/tx\/[^ ]+\/commit 507 /m,
  C: /^eventstore-server: \[ERROR\] POST \/(begin|events|commit) 507 /m,
};

type Servers = Readonly<Record<EditionName, ServerProcess>>;

function startOn(disk: SmallDisk, edition: EditionName): Promise<ServerProcess> {
  const env = { SERVICE_EDITION: edition, SERVICE_DATA_DIR: join(disk.path, edition) };
  return startServer({ listen: "tcp", listenOnly: true, env });
}

async function ofEachEdition(work: (edition: EditionName) => Promise<void>): Promise<void> {
  await Promise.all(EDITIONS.map(work));
}

/** A client that does not give up. */
async function appendAgainAndAgain(servers: Servers, isOver: () => boolean): Promise<void> {
  await ofEachEdition(async (edition) => {
    const client = servers[edition].client();
    while (!isOver()) {
      // When there is no space even for the fence, one write gets no answer.
      await appendAs(edition, client, EVENT).catch((error) => assert.ok(error instanceof NoReply, error));
      await pause(100);
    }
  });
}

/** Asserts that a panel shows more than 0 of a server. */
async function assertShown(
  prometheus: Prometheus,
  panel: string,
  instance: string,
  label = "",
): Promise<void> {
  const series = await shownOf(prometheus, panel, instance);
  const wanted = series.filter(({ metric }) => Object.values(metric).join().includes(label));
  assert.ok(wanted.some(({ value }) => Number(value[1]) > 0), `${panel}: ${JSON.stringify(series)}`);
}

await smallDiskDebianTest(
  ["prometheus"],
  "a full disk: three alerts, their panels and their lines in the log, in every edition, and /health says why",
  async (disk, programs) => {
    await using stack = new AsyncDisposableStack();
    const started = EDITIONS.map(async (edition) => [edition, stack.use(await startOn(disk, edition))]);
    const servers = Object.fromEntries(await Promise.all(started)) as Servers;
    const directory = servers.A.directory;
    await Deno.writeTextFile(join(directory, "token"), "no token");
    await using prometheus = await Prometheus.start(programs.prometheus, directory, {
      servers: EDITIONS.map((edition) => hostAndPort(servers[edition])),
      node: "127.0.0.1:1",
      tokenFile: join(directory, "token"),
      isFast: true,
    });
    await ofEachEdition(async (edition) => {
      assert.ok(await appendAs(edition, servers[edition].client(), EVENT) < 300);
    });
    disk.fill(MEBIBYTE);
    const instanceOf = (edition: EditionName): string => hostAndPort(servers[edition]);

    let isOver = false;
    const writing = appendAgainAndAgain(servers, () => isOver);
    const watching = ofEachEdition(async (edition) => {
      await eventually(async () => {
        assert.ok(await prometheus.hasFired("EventstoreWritesFail", instanceOf(edition)), edition);
        await assertShown(prometheus, "Writes that fail", instanceOf(edition), "disk_full");
        assert.match(servers[edition].stdout, FAILED_CALL[edition]);
        assert.match(servers[edition].stdout, /^eventstore-server: \[WARNING\] writes fail: .*full/m);
      }, 60);
      const health = await servers[edition].client().request("GET", "/health");
      assert.equal(health.status, 200, "reads continue");
      assert.match(health.json<{ reason: string }>().reason, /full/);
    }).finally(() => isOver = true);
    await Promise.all([writing, watching]);

    // When the server is idle, the file has no space for the content of the WAL.
    await ofEachEdition(async (edition) => {
      const instance = instanceOf(edition);
      await eventually(async () => {
        assert.ok(await prometheus.hasFired("EventstoreDiskFills", instance), "DiskFills");
        assert.ok(await prometheus.hasFired("EventstoreCheckpointsFail", instance), "CheckpointsFail");
        await assertShown(prometheus, "Checkpoints that fail", instance);
        assert.match(
          servers[edition].stdout,
          /^eventstore-server: \[WARNING\] the WAL cannot be moved into the store's file: .*full$/m,
        );
      }, 60);
      const room = await shownOf(prometheus, "Room on the disk", instance);
      const [free, , size] = room.map(({ value }) => Number(value[1]));
      assert.ok(free! < 0.03 * size!, JSON.stringify(room));
    });

    disk.free();
    await ofEachEdition(async (edition) => {
      await eventually(async () => {
        assert.ok(await appendAs(edition, servers[edition].client(), EVENT) < 300);
      }, 10);
    });
  },
);
