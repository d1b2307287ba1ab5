import type { ChildProcess } from "../child_process.ts";
import { type Address, Connection, type Reply, requestBytes, textOf } from "../connection.ts";
import { Histogram } from "../histogram.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";
import { on } from "../rounds.ts";

type Row = (timing: Timing) => Promise<Round>;

/** Rows of transactions. For each there is a row of handovers of the turn, measured at the same time. */
export function ticketRows(
  server: ChildProcess,
): Record<`${"tickets" | "handovers"}${1 | 16 | 64}`, Row> {
  const rows = (clients: number): [Row, Row] => {
    let handovers: Handovers | undefined;
    const tickets: Row = on(server, (address, timing) => {
      handovers = new Handovers(timing);
      return measureTransactions(address, clients, timing, handovers);
    });
    return [tickets, () => Promise.resolve(handovers!.round)];
  };
  const [tickets1, handovers1] = rows(1);
  const [tickets16, handovers16] = rows(16);
  const [tickets64, handovers64] = rows(64);
  return { tickets1, handovers1, tickets16, handovers16, tickets64, handovers64 };
}

/**
 * Each client runs one transaction of edition C after another: begin, append one event, commit. A step is the whole
 * transaction, three requests. Most of its time is the wait for the ticket.
 */
async function measureTransactions(
  address: Address,
  clients: number,
  timing: Timing,
  handovers: Handovers,
): Promise<Round> {
  using connections = new DisposableStack();
  const steps = [];
  for (let client = 0; client < clients; client++) {
    steps.push(makeClient(connections.use(await Connection.open(address)), handovers));
  }
  return await measureClients(steps, timing);
}

function makeClient(connection: Connection, handovers: Handovers): () => Promise<number> {
  const begin = requestBytes("POST", "/begin", "");
  const thing = crypto.randomUUID();
  const body = `{"events":[{"type":"ArticleAdded","identifiers":{"basket":"${thing}"},` +
    `"metadata":{"source":"bench"},"payload":"{\\"article\\":4711,\\"amount\\":2}"}]}`;
  return async () => {
    const { ticket } = JSON.parse(textOf(expect(200, await connection.request(begin)))) as { ticket: string };
    handovers.ticketCame();
    const call = (path: string, body: string): Promise<Reply> =>
      connection.request(requestBytes("POST", path, body, `X-Service-Ticket: ${ticket}`));
    expect(200, await call("/events", body));
    handovers.commitGoes();
    expect(204, await call("/commit", ""));
    handovers.commitIsDone();
    return 1;
  };
}

/**
 * Measures how the turn passes from client to client: from the response to each commit to the next ticket, as the
 * clients receive them.
 */
class Handovers {
  readonly #from: number;
  readonly #seconds: number;
  readonly #latencies = new Histogram();
  /** The time of the response to the last commit; undefined while the next transaction is in progress. */
  #committedAt: number | undefined;

  constructor({ warmUpSeconds, seconds }: Timing) {
    this.#from = performance.now() + warmUpSeconds * 1000;
    this.#seconds = seconds;
  }

  commitGoes(): void {
    this.#committedAt = undefined;
  }

  commitIsDone(): void {
    this.#committedAt = performance.now();
  }

  ticketCame(): void {
    const now = performance.now();
    if (now < this.#from || now >= this.#from + this.#seconds * 1000) return;
    // A client may receive its ticket before the response to the commit that freed the turn.
    this.#latencies.add(now - (this.#committedAt ?? now));
  }

  get round(): Round {
    return { seconds: this.#seconds, events: 0, latencies: this.#latencies };
  }
}

function expect(status: number, reply: Reply): Reply {
  if (reply.status === status) return reply;
  throw new Error(`a call with a ticket was answered ${reply.status}: ${textOf(reply)}`);
}
