import { eventually, pause } from "../../tests/support/eventually.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import { PostgresCluster } from "../../tests/system/postgres/support/cluster.ts";
import { LabelledWrites } from "../../tests/system/postgres/support/labelled_writes.ts";
import { Pair, standsBy } from "../../tests/system/postgres/support/pair.ts";
import { debianProgram } from "../../tests/system/support/debian_program.ts";
import { median, print, table } from "./report.ts";

/*
 * The time until another server has acknowledged a write, when the active one of edition B stops, is killed or
 * freezes under load. Prints a table in markdown.
 *
 *   deno task campaign:takeovers [rounds of each kind]
 */

const CLIENTS = 4;
const WRITES_BEFORE = 10;
const ROUNDS = Number(Deno.args[0] ?? 10);

/** Ends the activity of a server. @returns a function after which it stands by */
const DISRUPTIONS: Readonly<Record<string, (active: ServerProcess) => () => Promise<void>>> = {
  "stops"(active) {
    const ended = active.stop();
    return async () => {
      await ended;
      await active.start();
    };
  },
  "is killed (`kill -9`)"(active) {
    const ended = active.kill();
    return async () => {
      await ended;
      await active.start();
    };
  },
  "is frozen (`SIGSTOP`)"(active) {
    active.signal("SIGSTOP");
    return async () => {
      active.signal("SIGCONT");
      await standsBy(active);
    };
  },
};

async function milliseconds(pair: Pair, writes: LabelledWrites, next: number, kind: string): Promise<number> {
  const enough = writes.acknowledged + WRITES_BEFORE;
  while (writes.acknowledged < enough) await pause(10);
  const began = performance.now();
  const standBy = DISRUPTIONS[kind]!(pair.active);
  await eventually(() => {
    if (writes.acknowledgedAt[next]! < began) throw new Error("no write at the other server");
  }, 60);
  const taken = writes.acknowledgedAt[next]! - began;
  await standBy();
  await pair.tookOver();
  return taken;
}

const programs = { postgres: await debianProgram("postgres"), initdb: await debianProgram("initdb") };
await using cluster = await PostgresCluster.start(programs);
const rows: string[][] = [];
for (const kind of Object.keys(DISRUPTIONS)) {
  await using pair = await Pair.start(cluster, "B");
  const servers = [...pair.servers];
  const writes = new LabelledWrites("B", servers, CLIENTS);
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    taken.push(await milliseconds(pair, writes, servers.indexOf(pair.standby), kind));
  }
  await writes.end();
  const seconds = (value: number): string => `${(value / 1000).toFixed(2)} s`;
  rows.push([kind, seconds(median(taken)), seconds(Math.max(...taken)), String(ROUNDS)]);
}
print(table(["The active server", "Median", "Longest", "Takeovers"], rows));
