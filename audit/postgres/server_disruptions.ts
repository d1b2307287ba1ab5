import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import { ARRIVING, Cut, STAGES } from "./disturbed_connection.ts";
import type { Disruption, Scene, Struck } from "./disruption.ts";
import type { StoreCluster } from "./store_cluster.ts";
import type { StoreServer } from "./store_server.ts";
import { shuffled } from "../workload/random.ts";

/** The number of tries to disrupt a server inside a transaction. */
const TRIES = 100;

/** The time limit for a connection to reach the stage of the cut. */
const CUT_MILLISECONDS = 3000;

/** Disruptions of servers, or of connections between a server and PostgreSQL. */
export function serverDisruptions(cluster: StoreCluster): readonly Disruption[] {
  return [
    { name: "serverKill", strike: serverKill },
    { name: "serverStop", strike: serverStop },
    { name: "freeze", strike: (scene) => freeze(cluster, scene), needsClients: true },
    { name: "silence", strike: (scene) => silence(cluster, scene), needsClients: true },
    { name: "connectionCut", strike: connectionCut, needsClients: true },
    { name: "connectionsEnded", strike: (scene) => connectionsEnded(cluster, scene) },
  ];
}

/** A server is killed (SIGKILL), and started again. */
async function serverKill({ target }: Scene): Promise<Struck> {
  target.isExpected = false;
  await target.process.kill();
  return { sparesOthers: true, mend: () => startAgain(target) };
}

/** A server is stopped as an operator does, and started again. */
async function serverStop({ target }: Scene): Promise<Struck> {
  target.isExpected = false;
  const { code, stderr } = await target.process.stop();
  if (code !== 0) throw new AuditFailure("a server was stopped", [`exit code ${code}`, stderr]);
  return { sparesOthers: true, mend: () => startAgain(target) };
}

/** A server freezes (SIGSTOP) inside a transaction, and continues later. */
async function freeze(cluster: StoreCluster, scene: Scene): Promise<Struck> {
  const { target, random } = scene;
  target.isExpected = false;
  let isInside = false;
  for (let tried = 0; tried < TRIES && !isInside; tried++) {
    await pause(random.below(10));
    target.process.signal("SIGSTOP");
    isInside = await holdsRow(cluster, scene);
    if (!isInside && tried < TRIES - 1) target.process.signal("SIGCONT");
  }
  return {
    sparesOthers: true,
    inside: Number(isInside),
    mend: () => {
      target.process.signal("SIGCONT");
      target.isExpected = true;
    },
  };
}

/** No bytes pass between a server and PostgreSQL, until the link works again. */
async function silence(cluster: StoreCluster, scene: Scene): Promise<Struck> {
  const { target, random } = scene;
  await pause(random.below(20));
  target.isExpected = false;
  target.connection.silence();
  return {
    sparesOthers: true,
    inside: Number(await holdsRow(cluster, scene)),
    mend: () => {
      target.connection.resume();
      target.isExpected = true;
    },
  };
}

/**
 * A connection is cut, again and again: at each stage of a group, with nothing, half or all of the message delivered.
 * The cut affects the server that reaches the stage first, since after a cut another server may have become active.
 */
async function connectionCut({ servers, random }: Scene): Promise<Struck> {
  const cuts = STAGES.flatMap((at) => ARRIVING.map((arrives) => new Cut(at, arrives)));
  for (const cut of shuffled(cuts, random)) {
    for (const { connection } of servers) connection.expect(cut);
    const endsAt = performance.now() + CUT_MILLISECONDS;
    while (!cut.isMade && performance.now() < endsAt) await pause(2);
    cut.isTaken = true;
  }
  const inside = cuts.filter(({ at, isMade }) => isMade && at !== "any").length;
  return { sparesOthers: true, inside };
}

/** An administrator ends the connections of one server, or of all. */
async function connectionsEnded(cluster: StoreCluster, { target, servers, random }: Scene): Promise<Struck> {
  const roles = (random.chance(0.5) ? [target] : servers).map(({ role }) => `'${role}'`).join();
  await cluster.postgres.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN (${roles})`,
  );
  return { sparesOthers: true };
}

async function startAgain(server: StoreServer): Promise<void> {
  await server.process.start();
  server.isExpected = true;
}

/** Returns true when a server is in a transaction that has locked the row of the store. */
async function holdsRow(cluster: StoreCluster, { target }: Scene): Promise<boolean> {
  const rows = await cluster.postgres.sql(
    `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE a.usename = '${target.role}' AND a.state LIKE 'idle in transaction%' AND l.granted
       AND l.mode = 'RowShareLock' AND l.relation::regclass::text LIKE '%.store'`,
  );
  return rows.length > 0;
}
