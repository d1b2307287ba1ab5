import type { ServerProcess } from "../../support/server_process.ts";

/** The URL of a server, for programs that cannot use unix sockets. */
export function tcpUrlOf({ address }: ServerProcess): string {
  if (address.transport === "unix") throw new Error("the server listens on a unix socket");
  return `http://${address.hostname}:${address.port}`;
}
