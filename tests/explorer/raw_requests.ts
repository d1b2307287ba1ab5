import { Connection, type Reply } from "../support/connection.ts";
import type { Explorer } from "../../explorer/server/start_explorer.ts";

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
  /** Default: the key of the explorer. */
  readonly key?: string | undefined;
  /** Default: the host of the explorer. */
  readonly host?: string | undefined;
}

/** The key in the link of an explorer. */
export function keyOf(explorer: Explorer): string {
  return new URL(explorer.url).hash.slice("#key=".length);
}

/** Sends a request that no browser would send, and reads the answer. */
export async function sendRaw(explorer: Explorer, request: RawRequest): Promise<Reply> {
  const { method = "GET", path, headers = [], body = "" } = request;
  const key = "key" in request ? request.key : keyOf(explorer);
  const host = "host" in request ? request.host : `127.0.0.1:${explorer.port}`;
  using connection = await Connection.open({
    transport: "tcp",
    hostname: "127.0.0.1",
    port: explorer.port,
  });
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...host === undefined ? [] : [`Host: ${host}`],
    ...key === undefined ? [] : [`X-Explorer-Key: ${key}`],
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...body === "" ? [] : [`Content-Length: ${new TextEncoder().encode(body).length}`],
    "Connection: close",
  ];
  await connection.send(`${lines.join("\r\n")}\r\n\r\n${body}`);
  return await connection.readReply(method);
}
