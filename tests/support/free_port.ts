/**
 * Ports for the servers of this process alone, "first-last". The runner assigns them to each process. They lie below
 * the ports that the system assigns, so that no other process takes a port between the choice and its use, or while a
 * server restarts. Without a range the system chooses.
 */
const range = /^(\d+)-(\d+)$/.exec(Deno.env.get("EVENTSTORE_TEST_PORTS") ?? "");

const ports = range === null
  ? undefined
  : { first: Number(range[1]), count: Number(range[2]) - Number(range[1]) + 1 };
let next = ports === undefined ? 0 : Math.floor(Math.random() * ports.count);

/** A port of 127.0.0.1 on which no process listens. */
export function freePort(): number {
  if (ports === undefined) return listenOnce(0)!;
  for (let tried = 0; tried < ports.count; tried++) {
    const port = listenOnce(ports.first + next++ % ports.count);
    if (port !== undefined) return port;
  }
  throw new Error("every port of this process is in use");
}

/** The port, or undefined when it is in use. */
function listenOnce(port: number): number | undefined {
  try {
    using listener = Deno.listen({ hostname: "127.0.0.1", port });
    return listener.addr.port;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return undefined;
    throw error;
  }
}
