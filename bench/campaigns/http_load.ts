import { eventually, pause } from "../../tests/support/eventually.ts";
import { debugSnapshot } from "../../tests/support/held_write_lock.ts";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { honestP99, untilStalled } from "../../tests/http/transport/support/honest_clients.ts";
import { requestBytes } from "../../tests/http/transport/support/requests.ts";
import { SLOW_SHAPES, SlowClients, type SlowShape } from "../../tests/http/transport/support/slow_clients.ts";
import { fillWithPages, StalledReaders } from "../../tests/http/transport/support/stalled_readers.ts";
import { residentMib } from "../../tests/http/transport/support/transport_process.ts";
import { median, print, table } from "./report.ts";

/*
 * Load tests that take too long for every run of the tests: slow clients in their full number, readers that stall
 * until they are cut off, and the limits in real time. All run against the real server. Prints tables in markdown.
 *
 *   deno task campaign:http_load
 */

const SLOW_CLIENTS = 500;
const HONEST_SECONDS = 2;
const ROUNDS = 5;
const STALLED_READERS = 200;
const CUT_SECONDS_MAX = 40;

async function slowClients(): Promise<void> {
  await using server = await startServer();
  const client = server.client();
  for (let i = 0; i < 2; i++) {
    await client.append(...Array(100).fill({ type: "t", payload: "x".repeat(60_000) }));
  }
  await honestP99(server.address, 1);
  const rows: string[][] = [];
  for (const shape of SLOW_SHAPES) rows.push(await compare(server, shape));
  print(table(["shape", "connections", "p99 quiet, ms", "p99 beside them, ms", "ratio"], rows));
}

/** Medians of several comparisons, since the load of a machine varies. */
async function compare(server: ServerProcess, shape: SlowShape): Promise<string[]> {
  const quiet: number[] = [];
  const beside: number[] = [];
  let connected = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await honestP99(server.address, HONEST_SECONDS));
    await using slow = new SlowClients(server.address, shape, SLOW_CLIENTS);
    await eventually(() => {
      if (slow.connected < SLOW_CLIENTS) throw new Error(`only ${slow.connected} have connected`);
    }, 20);
    await untilStalled(server.client());
    beside.push(await honestP99(server.address, HONEST_SECONDS));
    connected = Math.min(connected, slow.connected);
  }
  const [low, high] = [median(quiet), median(beside)];
  return [shape.name, String(connected), low.toFixed(1), high.toFixed(1), (high / low).toFixed(2)];
}

async function stalledReaders(): Promise<void> {
  await using server = await startServer();
  await fillWithPages(server);
  await pause(1000);
  const before = residentMib(server.pid);
  using readers = await StalledReaders.open(server.address, STALLED_READERS);
  const openedAt = performance.now();
  const highest = await readers.highestMib(server.pid, 20);
  const cut = await secondsUntilCut(server, openedAt);
  const figures = [before, highest, highest - before].map((mib) => mib.toFixed(0));
  const head = ["readers", "VmRSS before, MiB", "highest, MiB", "growth, MiB", "all cut off after, s"];
  print(table(head, [[String(STALLED_READERS), ...figures, cut]]));
}

async function secondsUntilCut(server: ServerProcess, openedAt: number): Promise<string> {
  const client = server.client();
  await eventually(async () => {
    const { read } = await debugSnapshot(client);
    if (read.httpOpen > 0) throw new Error(`${read.httpOpen} readers are still served`);
  }, CUT_SECONDS_MAX);
  return ((performance.now() - openedAt) / 1000).toFixed(1);
}

/**
 * Sends these bytes and nothing more. @returns how many seconds later the server closes the connection, counted
 * from the last byte of the reply, if there is one
 */
async function closedAfter({ address }: ServerProcess, bytes: Uint8Array): Promise<string> {
  using conn = await Deno.connect(address as Deno.ConnectOptions);
  if (bytes.length > 0) await conn.write(bytes);
  let at = performance.now();
  while (await conn.read(new Uint8Array(1024)) !== null) at = performance.now();
  return ((performance.now() - at) / 1000).toFixed(1);
}

async function limits(): Promise<void> {
  await using server = await startServer();
  const half = requestBytes("POST", "/write", "x".repeat(100)).subarray(0, -50);
  const cases: readonly (readonly [string, string, Uint8Array])[] = [
    ["no bytes at all", "10", new Uint8Array()],
    ["half a head", "10", half.subarray(0, 20)],
    ["half a body", "30", half],
    ["idle after a reply", "120", requestBytes("GET", "/health")],
  ];
  const rows = await Promise.all(cases.map(async ([name, limit, bytes]) => {
    return [name, limit, await closedAfter(server, bytes)];
  }));
  print(table(["limit in real time", "limit, s", "closed after, s"], rows));
}

await slowClients();
print("\n");
await stalledReaders();
print("\n");
await limits();
