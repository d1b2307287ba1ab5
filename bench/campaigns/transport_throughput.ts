import { type Address, Connection, linesOf, requestBytes } from "../connection.ts";
import { TransportProcess, TRANSPORTS } from "../../tests/http/transport/support/transport_process.ts";
import { median, print, table } from "./report.ts";

/*
 * Compares the transport with `Deno.serve`, both without an application. Each runs in a process of its own, and
 * they alternate, so that other load on the machine affects both. CPU is that of the server alone: the client costs
 * about as much, and hides much of a difference in requests per second.
 *
 *   deno task campaign:throughput [seconds of each measurement]
 */

const ROUNDS = 5;
const WARM_UP_SECONDS = 0.5;
const EVENTS_PER_PAGE = 10_000;
const seconds = Number(Deno.args[0] ?? 3);

interface Workload {
  readonly name: string;
  readonly connections: number;
  readonly request: Uint8Array;
  readonly lines?: number;
}

const BODY = JSON.stringify({
  conditions: [{ failIfEventsMatch: [{ identifiers: [{ name: "basket", value: "basket-4711" }] }] }],
  events: [{ type: "ArticleAdded", identifiers: { basket: "basket-4711" }, payload: '{"article":4711}' }],
});

const WORKLOADS: readonly Workload[] = [
  { name: "JSON POST, 64 connections", connections: 64, request: requestBytes("POST", "/json", BODY) },
  { name: "JSON POST, 1 connection", connections: 1, request: requestBytes("POST", "/json", BODY) },
  {
    name: "page of 10,000 events",
    connections: 1,
    request: requestBytes("QUERY", "/page", "{}"),
    lines: EVENTS_PER_PAGE + 1,
  },
];

interface Figures {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
}

async function measure(workload: Workload, address: Address, pid: number): Promise<Figures> {
  using connections = new DisposableStack();
  const clients: Connection[] = [];
  for (let i = 0; i < workload.connections; i++) {
    clients.push(connections.use(await Connection.open(address)));
  }
  await run(clients, workload, WARM_UP_SECONDS);
  const cpuBefore = cpuMilliseconds(pid);
  const startedAt = performance.now();
  const requests = await run(clients, workload, seconds);
  return {
    requestsPerSecond: requests / (performance.now() - startedAt) * 1000,
    cpuMicroseconds: 1000 * (cpuMilliseconds(pid) - cpuBefore) / requests,
  };
}

/** Sends one request after another on each connection. @returns the number of answers */
async function run(clients: readonly Connection[], workload: Workload, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let requests = 0;
  await Promise.all(clients.map(async (connection, i) => {
    for (let first = i === 0; performance.now() < until; first = false) {
      const reply = await connection.request(workload.request);
      if (reply.status !== 200) throw new Error(`answered ${reply.status}`);
      // Counting lines takes CPU time from the server.
      if (first && workload.lines !== undefined && linesOf(reply) !== workload.lines) {
        throw new Error(`a page of ${linesOf(reply)} lines`);
      }
      requests++;
    }
  }));
  return requests;
}

/** The CPU time of a process so far. The kernel counts in steps of 10 ms. */
function cpuMilliseconds(pid: number): number {
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

async function compare(workload: Workload): Promise<string[]> {
  const figures = TRANSPORTS.map((): Figures[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, name] of TRANSPORTS.entries()) {
      await using server = await TransportProcess.start(name);
      figures[i]!.push(await measure(workload, server.address, server.pid));
    }
  }
  const [ours, denos] = figures.map((all) => ({
    rate: median(all.map(({ requestsPerSecond }) => requestsPerSecond)),
    cpu: median(all.map(({ cpuMicroseconds }) => cpuMicroseconds)),
  }));
  return [
    workload.name,
    ours!.rate.toFixed(0),
    denos!.rate.toFixed(0),
    (ours!.rate / denos!.rate).toFixed(2),
    ours!.cpu.toFixed(0),
    denos!.cpu.toFixed(0),
  ];
}

const rows: string[][] = [];
for (const workload of WORKLOADS) rows.push(await compare(workload));
print(table(["", "ours/s", "Deno.serve/s", "ratio", "ours us CPU", "Deno.serve us CPU"], rows));
