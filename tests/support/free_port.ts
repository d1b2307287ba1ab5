/**
 * Ports for the servers of this process alone, "first-last", as the runner gives them to each process. They lie
 * below those that the system gives away, so that nobody takes a port between the choice and its use, or while a
 * server is started again. Otherwise the system chooses.
 */
const range = /^(\d+)-(\d+)$/.exec(Deno.env.get("EVENTSTORE_TEST_PORTS") ?? "");

const ports = range === null
  ? undefined
  : { first: Number(range[1]), count: Number(range[2]) - Number(range[1]) + 1 };
let next = ports === undefined ? 0 : Math.floor(Math.random() * ports.count);

/** A port of 127.0.0.1 that nobody listens on. */
export function freePort(): number {
  if (ports === undefined) return listenOnce(0)!;
  for (let tried = 0; tried < ports.count; tried++) {
    const port = listenOnce(ports.first + next++ % ports.count);
    if (port !== undefined) return port;
  }
  throw new Error("every port of this process is in use");
}

/** The port, unless it is in use. */
function listenOnce(port: number): number | undefined {
  try {
    using listener = Deno.listen({ hostname: "127.0.0.1", port });
    return listener.addr.port;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return undefined;
    throw error;
  }
}
