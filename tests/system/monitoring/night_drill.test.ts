import assert from "node:assert/strict";
import { join } from "node:path";
import { BackupDirectories } from "../../backup/run_backup.ts";
import { begin, WaitingBegin } from "../../editions/c_ticket/client.ts";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";
import { shownOf } from "./dashboard.ts";
import { NodeExporter } from "./node_exporter.ts";
import { hostAndPort, Prometheus } from "./prometheus.ts";

/*
 * A night on which everything happens at once. Each incident fires an alert, shows on a panel, and prints a line that
 * says why. The full disk has a file of its own. Minutes are seconds here, except for the servers' own times.
 */

const TOKEN = "correct-horse-battery";
const EVENT = { type: "t", identifiers: {}, payload: "x".repeat(60_000) };

/** The time that a client holds the ticket: the alert is about a wait of ten seconds. */
const TICKET_SECONDS = 16;

/** The interval of the questions to Prometheus, which has other work. */
const ASK_MILLISECONDS = 200;

/** The limit on descriptors of a server that has few. */
const DESCRIPTORS = 128;

/** The alert is about reads of more than five seconds. */
const SLOW_MILLISECONDS = 6000;

function start(
  edition: string,
  env: Readonly<Record<string, string>> = {},
  rest: Pick<ServerOptions, "umask"> = {},
): Promise<ServerProcess> {
  return startServer({
    listen: "tcp",
    listenOnly: true,
    ...rest,
    env: {
      SERVICE_EDITION: edition,
      SERVICE_ENABLE_AUTH: "true",
      SERVICE_AUTH_TOKEN: TOKEN,
      SERVICE_LOG_LEVEL: "debug",
      ...env,
    },
  });
}

const clientOf = (server: ServerProcess) => server.client({ authorization: `Bearer ${TOKEN}` });

/** The signs of an incident: in Prometheus, on the dashboard, and in the output of a program. */
interface Notice {
  readonly alert: string;
  readonly instance: string;
  readonly panel: string;
  /** True when the largest value of the panel shows the incident. */
  readonly isBad: (value: number) => boolean;
  readonly said: () => string;
  readonly line: RegExp;
}

async function assertNoticed(prometheus: Prometheus, notice: Notice): Promise<void> {
  const { alert, instance, panel, isBad, said, line } = notice;
  await eventually(async () => {
    await pause(ASK_MILLISECONDS);
    const values = (await shownOf(prometheus, panel, instance)).map(({ value }) => Number(value[1]));
    assert.ok(values.length > 0 && isBad(Math.max(...values)), `${panel} shows ${values}`);
  }, 60);
  await eventually(async () => {
    await pause(ASK_MILLISECONDS);
    assert.ok(await prometheus.hasFired(alert, instance), `${alert} does not fire`);
    assert.match(said(), line);
  }, 60);
}

/** A client holds its ticket, and another one waits. */
async function stickTicket(server: ServerProcess): Promise<Disposable> {
  const client = clientOf(server);
  await begin(client);
  return await WaitingBegin.send(client);
}

/** Clients that stop reading in the middle of a page, one after the other, until it is over. */
async function readSlowly(server: ServerProcess, isOver: () => boolean): Promise<void> {
  const client = clientOf(server);
  const one = async (delayMilliseconds: number): Promise<void> => {
    await pause(delayMilliseconds);
    while (!isOver()) {
      using reading = await client.begin("QUERY", "/events", { json: { query: "*" } });
      const head = await reading.readHead();
      await pause(SLOW_MILLISECONDS);
      await reading.readRest(head);
    }
  };
  await Promise.all([0, 2000, 4000].map(one));
}

/** Clients open connections, and do not close them. Prometheus keeps its connection. */
async function holdConnections(server: ServerProcess): Promise<Disposable> {
  const held = new DisposableStack();
  for (let i = 0; i < DESCRIPTORS; i++) held.use(await Connection.open(server.address));
  return held;
}

/** A server is killed, and does not start again: another process holds its data. */
async function die(server: ServerProcess): Promise<Disposable> {
  await server.kill();
  const lock = await Deno.open(join(server.dataDir, "events.lock"), { read: true, write: true });
  await lock.lock(true);
  server.spawn();
  return lock;
}

await debianTest(
  ["prometheus", "prometheus-node-exporter"],
  "a stuck ticket, slow clients, too many of them, a failed backup, a wrong token, a dead server: alert, panel, line",
  async (programs) => {
    await using stack = new AsyncDisposableStack();
    const [stuck, slow, foreign, dead, crowded] = await Promise.all([
      start("C", {
        SERVICE_TRANSACTION_TIMEOUT: String(TICKET_SECONDS),
        SERVICE_MAX_TRANSACTION_DURATION: "60",
      }),
      start("A"),
      start("B", { SERVICE_AUTH_TOKEN: "another" }),
      start("A"),
      // The shell sets the limit before it starts the program.
      start("A", {}, { umask: `022 && ulimit -n ${DESCRIPTORS}` }),
    ]);
    const servers = [stuck, slow, foreign, dead, crowded];
    for (const server of servers) stack.use(server);
    // More bytes than the buffers of a connection hold.
    for (let i = 0; i < 30; i++) await clientOf(slow).append(...Array(10).fill(EVENT));

    const backup = stack.use(new BackupDirectories(slow.address));
    const failed = await backup.run({ args: ["--metrics-file", join(backup.directory, "backup.prom")] });
    assert.equal(failed.code, 1, "without the token");
    const tokenFile = join(backup.directory, "token");
    await Deno.writeTextFile(tokenFile, TOKEN);
    const node = stack.use(
      await NodeExporter.start(programs["prometheus-node-exporter"], backup.directory),
    );
    const prometheus = stack.use(
      await Prometheus.start(programs.prometheus, backup.directory, {
        servers: servers.map(hostAndPort),
        node: node.address,
        tokenFile,
        isFast: true,
      }),
    );

    await eventually(async () => {
      const errors = await prometheus.scrapeErrors();
      assert.deepEqual([errors.length, /HTTP status 401/.test(errors.join())], [1, true], errors.join());
    }, 20);

    let isOver = false;
    const reading = readSlowly(slow, () => isOver);
    stack.use(await stickTicket(stuck));
    stack.use(await die(dead));
    stack.use(await holdConnections(crowded));
    const noticed = Promise.all([
      assertNoticed(prometheus, {
        alert: "EventstoreQueueWaitsLong",
        instance: hostAndPort(stuck),
        panel: "Longest wait",
        isBad: (seconds) => seconds > 10,
        said: () => stuck.stdout,
        line: /^eventstore-server: \[WARNING\] a transaction was rolled back: it had no call for 16 s/m,
      }),
      assertNoticed(prometheus, {
        alert: "EventstoreReadsSlow",
        instance: hostAndPort(slow),
        panel: "How long reads take",
        isBad: (seconds) => seconds > 5,
        said: () => slow.stdout,
        // Eighteen million bytes, over six seconds.
        line: /^eventstore-server: \[DEBUG\] QUERY \/events 200 \d{8}B [6-9]\d{3}\.\dms$/m,
      }),
      assertNoticed(prometheus, {
        alert: "EventstoreDescriptorsRunOut",
        instance: hostAndPort(crowded),
        panel: "Connections refused",
        isBad: (rate) => rate > 0,
        said: () => crowded.stdout,
        line: /^eventstore-server: \[WARNING\] connections are rejected: \d+ are open/m,
      }),
      assertNoticed(prometheus, {
        alert: "EventstoreBackupFailed",
        instance: node.address,
        panel: "Last run",
        isBad: (success) => success === 0,
        said: () => failed.stderr,
        line: /401/,
      }),
      assertNoticed(prometheus, {
        alert: "EventstoreDown",
        instance: hostAndPort(foreign),
        panel: "Up",
        isBad: (up) => up === 0,
        said: () => foreign.stdout,
        line: /^eventstore-server: \[INFO\] GET \/metrics 401 /m,
      }),
      assertNoticed(prometheus, {
        alert: "EventstoreDown",
        instance: hostAndPort(dead),
        panel: "Up",
        isBad: (up) => up === 0,
        said: () => dead.stderr,
        line:
          /^eventstore-server: the data directory .* is in use by another process, which holds .*events\.lock$/m,
      }),
    ]).finally(() => isOver = true);
    await Promise.all([reading, noticed]);
    assert.ok(!await prometheus.hasFired("EventstoreDown", hostAndPort(slow)), "who is well is not reported");
  },
);
