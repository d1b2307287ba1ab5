import { delay } from "../../async/delay.ts";
import type { Address } from "../../model/address.ts";
import type { Handler, Transport } from "../exchange.ts";
import { BodyBudget } from "./body_budget.ts";
import { Connection } from "./connection.ts";
import { ReadingClock, SWEEP_MILLISECONDS } from "../../time/reading_clock.ts";
import { TIMEOUTS, type Timeouts } from "./timeouts.ts";

/** Counts of a server's connections, updated by the listener that accepts them. */
export interface ConnectionCounts {
  open: number;
  /** Connections since startup that the server closed at once because it had no capacity for them. */
  rejected: number;
}

interface ListenerOptions {
  /**
   * Returns true when the server may serve another connection besides so many open ones. Otherwise it is closed at
   * once.
   */
  readonly hasCapacity: (open: number) => boolean;
  /** Called for requests that never reach the handler, with the status of their rejection. */
  readonly onMalformed: (status: number, reason: string) => void;
  readonly counts?: ConnectionCounts;
  /** Only tests shorten them. */
  readonly timeouts?: Timeouts;
}

/** Errors of `accept` that last until a descriptor or memory is freed. Any other error concerns one connection. */
const EXHAUSTED: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);

const EXHAUSTED_PAUSE_MILLISECONDS = 50;

/** After so many failures in a row there is a pause of a millisecond, so that the loop never spins. */
const FAILURES_IN_A_ROW = 16;

export function listen(where: Address, handler: Handler, options: ListenerOptions): Transport {
  const listener: Deno.Listener<Deno.Conn> = where.transport === "unix"
    ? Deno.listen({ transport: "unix", path: where.path })
    : Deno.listen({ hostname: where.hostname, port: where.port });
  const { hasCapacity, onMalformed, counts = { open: 0, rejected: 0 }, timeouts = TIMEOUTS } = options;
  const connections = new Set<Connection>();
  const clock = new ReadingClock();
  const bodies = new BodyBudget(timeouts, clock);
  const sweep = setInterval(() => {
    const now = clock.sweep();
    for (const connection of connections) connection.closeWhenOverdue(now);
    bodies.sweep(now);
  }, SWEEP_MILLISECONDS);
  let closing = false;

  const serve = async (socket: Deno.Conn): Promise<void> => {
    if (!hasCapacity(connections.size)) {
      counts.rejected++;
      return socket.close();
    }
    if (!isUsable(socket)) return socket.close();
    const connection = new Connection(socket, handler, { onMalformed, timeouts, bodies, clock });
    connections.add(connection);
    counts.open++;
    try {
      await connection.serve();
    } finally {
      connections.delete(connection);
      counts.open--;
      if (closing && connections.size === 0) allClosed.resolve();
    }
  };
  const accepting = acceptAll(listener, serve, () => closing);
  const allClosed = Promise.withResolvers<void>();

  const { addr } = listener;
  return {
    ...addr.transport === "tcp" ? { port: addr.port } : {},
    async close(graceMilliseconds) {
      closing = true;
      listener.close();
      // At once, so that every answer from now on is the last on its connection. And again, for new connections.
      for (const connection of connections) connection.finish();
      await accepting;
      for (const connection of connections) connection.finish();
      bodies.close();
      const timer = setTimeout(() => {
        for (const connection of connections) connection.close();
        allClosed.resolve();
      }, graceMilliseconds);
      if (connections.size > 0) await allClosed.promise;
      clearTimeout(timer);
      clearInterval(sweep);
    },
  };
}

async function acceptAll(
  listener: Deno.Listener<Deno.Conn>,
  serve: (socket: Deno.Conn) => Promise<void>,
  closing: () => boolean,
): Promise<void> {
  for (let failures = 0; !closing();) {
    try {
      const socket = await listener.accept();
      failures = 0;
      // The socket may already be broken.
      serve(socket).catch(() => {});
    } catch (error) {
      if (closing()) return;
      failures++;
      // A connection that was reset while it waited fails, too, and the next one may be fine.
      if (EXHAUSTED.has((error as { code?: string }).code)) await delay(EXHAUSTED_PAUSE_MILLISECONDS);
      else if (failures % FAILURES_IN_A_ROW === 0) await delay(1);
    }
  }
}

/** Prepares a socket. @returns false when its client has already reset it */
function isUsable(socket: Deno.Conn): boolean {
  try {
    if ("setNoDelay" in socket) (socket as Deno.TcpConn).setNoDelay();
    return true;
  } catch {
    return false;
  }
}
