import { SessionLost } from "./errors.ts";
import { MessageWriter } from "./message_writer.ts";

/** Bytes to and from a server, in order. */
export type Transport = Pick<Deno.Conn, "read" | "write" | "close">;

const ACCEPTS_TLS = "S".charCodeAt(0);

/** @throws SessionLost when the server does not offer TLS */
export async function askForTls(transport: Transport): Promise<void> {
  const writer = new MessageWriter();
  writer.sslRequest();
  await writeAll(transport, writer.take());
  // Exactly one byte: more bytes would be unencrypted, and must not count as an answer.
  const answer = new Uint8Array(2);
  const count = await transport.read(answer);
  if (count !== 1 || answer[0] !== ACCEPTS_TLS) throw new SessionLost("PostgreSQL does not offer TLS here");
}

export async function writeAll(transport: Transport, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await transport.write(bytes.subarray(written));
}
