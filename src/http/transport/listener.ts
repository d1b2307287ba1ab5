import type { Address } from "../../model/address.ts";
import type { Handler, Transport } from "../exchange.ts";
import { Connection, TIMEOUTS, type Timeouts } from "./connection.ts";

interface ListenerOptions {
  /** Connections beyond this number are closed at once. */
  readonly connectionsMax: number;
  /** Called for requests that never reach the handler, with the status that they were refused with. */
  readonly onMalformed: (status: number) => void;
  /** Only tests shorten them. */
  readonly timeouts?: Timeouts;
}

/** How often overdue connections are looked for. */
const SWEEP_MILLISECONDS = 250;

/** Pause after a failed accept: at the limit of descriptors it fails until some connection is closed. */
const ACCEPT_PAUSE_MILLISECONDS = 50;

/** Starts accepting connections and serving them. */
export function listen(where: Address, handler: Handler, options: ListenerOptions): Transport {
  const listener: Deno.Listener<Deno.Conn> = where.transport === "unix"
    ? Deno.listen({ transport: "unix", path: where.path })
    : Deno.listen({ hostname: where.hostname, port: where.port });
  const { connectionsMax, onMalformed, timeouts = TIMEOUTS } = options;
  const connections = new Set<Connection>();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const connection of connections) connection.closeWhenOverdue(now);
  }, SWEEP_MILLISECONDS);
  let closing = false;

  const serve = async (socket: Deno.Conn): Promise<void> => {
    if (connections.size >= connectionsMax) return socket.close();
    if ("setNoDelay" in socket) (socket as Deno.TcpConn).setNoDelay();
    const connection = new Connection(socket, handler, { onMalformed, timeouts });
    connections.add(connection);
    try {
      await connection.serve();
    } finally {
      connections.delete(connection);
      if (closing && connections.size === 0) allClosed.resolve();
    }
  };
  const accepting = acceptAll(listener, serve, () => closing);
  const allClosed = Promise.withResolvers<void>();

  return {
    async close(graceMilliseconds) {
      closing = true;
      listener.close();
      await accepting;
      for (const connection of connections) connection.finish();
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
  while (!closing()) {
    try {
      // The socket may already be broken.
      serve(await listener.accept()).catch(() => {});
    } catch {
      if (!closing()) await new Promise((resolve) => setTimeout(resolve, ACCEPT_PAUSE_MILLISECONDS));
    }
  }
}
