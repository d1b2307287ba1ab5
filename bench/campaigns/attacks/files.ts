import { join } from "node:path";
import { Client } from "../../../tests/support/client.ts";
import { inDirectory } from "../../../tests/support/directory.ts";
import { eventually, pause } from "../../../tests/support/eventually.ts";
import { holdWriteLock } from "../../../tests/support/held_write_lock.ts";
import { type ServerProcess, spawnServer, startServer } from "../../../tests/support/server_process.ts";
import { runInit } from "../../../tests/cli/run_init.ts";
import type { Attack, Found, Scale } from "./attack.ts";

/* Changes to files that the server does not make itself. */

const NOTICED_SECONDS_MAX = 5;
const LOCKED_SECONDS = 7;

type Plain = (faults: string[]) => Promise<string>;

/** Tries something `full` times (scaled). Its result is the outcome. */
function plain(name: string, full: number, once: Plain): Attack {
  const run = async (scale: Scale): Promise<Found> => {
    const tries = scale.count(full);
    const faults: string[] = [];
    let outcome = "";
    for (let i = 0; i < tries; i++) outcome = await once(faults);
    return { tries, outcome, faults };
  };
  return { name: `A ${name}`, edition: "A", plain: run };
}

/** The disk that the link leads to is not mounted. */
async function danglingLink(faults: string[]): Promise<string> {
  const programs: Readonly<Record<string, (directory: string) => Promise<number>>> = {
    server: (directory) => startAndStop(directory),
    init: async (directory) => (await runInit(directory, ["--data-dir", join(directory, "data")])).code,
  };
  const codes: number[] = [];
  for (const [name, run] of Object.entries(programs)) {
    await inDirectory(async (directory) => {
      const link = join(directory, "data", "events.db");
      await Deno.mkdir(join(directory, "data"));
      await Deno.symlink(join(directory, "not mounted", "events.db"), link);
      const code = await run(directory);
      codes.push(code);
      if (code !== 1) faults.push(`${name} accepts the link`);
      if (!(await Deno.lstat(link)).isSymlink) faults.push(`${name} replaces the link`);
    });
  }
  return `exit codes ${codes.join(", ")}`;
}

/** Starts a server and stops it as soon as it listens, if it does. @returns its exit code */
async function startAndStop(directory: string): Promise<number> {
  try {
    await using server = await startServer({ directory });
    return (await server.stop()).code;
  } catch {
    return 1;
  }
}

/** The socket was removed, and another server listens there when the first one stops. */
async function reboundSocket(faults: string[]): Promise<string> {
  let outcome = "";
  await inDirectory(async (directory, socketPath) => {
    const start = (name: string): Promise<ServerProcess> =>
      startServer({
        listen: "none",
        env: { SERVICE_SOCKET_PATH: socketPath, SERVICE_DATA_DIR: join(directory, name) },
      });
    const client = new Client({ transport: "unix", path: socketPath });
    await using first = await start("first");
    await Deno.remove(socketPath);
    await using _second = await start("second");
    await first.stop();
    outcome = await client.request("GET", "/health").then(
      ({ status }) => String(status),
      () => "unreachable",
    );
    if (outcome !== "200") faults.push("the second server is unreachable");
  });
  return outcome;
}

/** Two servers with the same settings start at the same moment. One of them must win completely. */
async function startedTwice(faults: string[]): Promise<string> {
  let outcome = "";
  await inDirectory(async (directory, socketPath) => {
    const options = { listen: "unix", listenOnly: true, directory } as const;
    const servers = await Promise.all([spawnServer(options), spawnServer(options)]);
    try {
      const client = new Client({ transport: "unix", path: socketPath });
      await eventually(async () => void await client.append({ type: "t", payload: "" }), NOTICED_SECONDS_MAX);
      const listening = servers.filter(({ stdout }) => stdout.includes("listening on"));
      outcome = `${listening.length} listening`;
      if (listening.length !== 1) faults.push(outcome);
    } finally {
      for (const server of servers) await server[Symbol.asyncDispose]();
    }
  });
  return outcome;
}

/** Two data directories have hard links to one file, but each has its own lock. No acknowledged event may be lost. */
async function hardLink(faults: string[]): Promise<string> {
  await using first = await startServer();
  const other = await Deno.makeTempDir({ prefix: "eventstore_attack_" });
  let [second, acknowledged, outcome]: [ServerProcess | undefined, number, string] = [
    undefined,
    0,
    "rejected",
  ];
  try {
    await Deno.mkdir(join(other, "data"));
    await Deno.link(first.databasePath, join(other, "data", "events.db"));
    second = await startServer({ directory: other }).catch(() => undefined);
    if (second !== undefined) outcome = "both run";
    for (let i = 0; i < 20; i++) {
      for (const server of [first, second]) {
        const reply = await server?.client().write({ events: [{ type: "t", payload: "" }] });
        if (reply?.status === 200) acknowledged++;
      }
    }
    await second?.stop();
    // A server may reject a file with two names, so one name is removed.
    await Deno.remove(join(other, "data", "events.db"));
    await first.restart();
    const events = await first.client().allEvents().then(({ length }) => length, () => 0);
    if (events !== acknowledged) faults.push(`${acknowledged} acknowledged, ${events} there`);
  } finally {
    await second?.[Symbol.asyncDispose]();
    await Deno.remove(other, { recursive: true });
  }
  return outcome;
}

async function deletedDatabase(faults: string[]): Promise<string> {
  await using server = await startServer();
  const client = server.client();
  await client.append({ type: "t", payload: "" });
  for (const end of ["", "-wal", "-shm"]) await Deno.remove(server.databasePath + end).catch(() => {});
  const write = await client.write({ events: [{ type: "t", payload: "" }] });
  if (write.status === 200) faults.push("a write into the deleted file is acknowledged");
  const noticed = eventually(async () => {
    const { status } = await client.request("GET", "/health");
    if (status !== 503) throw new Error(`health says ${status}`);
    if (server.stderr === "") throw new Error("nothing on standard error");
  }, NOTICED_SECONDS_MAX);
  await noticed.catch((error) => faults.push((error as Error).message));
  const { status } = await client.request("GET", "/health");
  return `write ${write.status}, health ${status}`;
}

async function lockedDatabase(faults: string[]): Promise<string> {
  await using server = await startServer();
  const client = server.client();
  using held = holdWriteLock(server);
  const write = client.write({ events: [{ type: "t", payload: "" }] });
  await pause(LOCKED_SECONDS * 1000);
  held.release();
  const { status, text } = await write;
  if (status !== 503 || !text.includes('"Unavailable"')) faults.push(`answered ${status} ${text}`);
  const after = await client.write({ events: [{ type: "t", payload: "" }] });
  if (after.status !== 200) faults.push(`afterwards ${after.status}`);
  return `${status}, afterwards ${after.status}`;
}

export const files: readonly Attack[] = [
  plain("events.db is a link to nothing", 1, danglingLink),
  plain("the socket is removed and bound by a second server, the first one stops", 3, reboundSocket),
  plain("two servers started at once with everything alike", 5, startedTwice),
  plain("events.db is a hard link in two data directories", 1, hardLink),
  plain("events.db* deleted while the server runs", 1, deletedDatabase),
  plain(`the database is locked by another process for ${LOCKED_SECONDS} s`, 1, lockedDatabase),
];
