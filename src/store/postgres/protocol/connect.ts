import type { PostgresServer } from "../../../config/postgres_url.ts";
import { askForTls, type Transport } from "./transport.ts";

/**
 * Connects, and verifies the server as far as its address requires.
 * @param onMade called with each transport, which the caller closes when it no longer waits for the result
 */
export async function connect(
  server: PostgresServer,
  onMade: (transport: Transport) => void,
): Promise<Transport> {
  if (server.transport === "unix") {
    const conn = await Deno.connect({ transport: "unix", path: server.path });
    onMade(conn);
    return conn;
  }
  if (server.tls?.authoritiesPath !== undefined) {
    const { connectWithAuthorities } = await import("./authorities.ts");
    return await connectWithAuthorities(server, server.tls.authoritiesPath, server.tls.verifiesName, onMade);
  }
  const { hostname, port } = server;
  const conn = await Deno.connect({ hostname, port });
  onMade(conn);
  conn.setNoDelay(true);
  conn.setKeepAlive(true);
  if (server.tls === undefined) return conn;
  await askForTls(conn);
  const secure = await Deno.startTls(conn, { hostname });
  onMade(secure);
  await secure.handshake();
  return secure;
}
