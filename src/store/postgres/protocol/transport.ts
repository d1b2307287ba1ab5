import { SessionLost } from "./errors.ts";

/** Bytes to and from a server, in order. */
export type Transport = Pick<Deno.Conn, "read" | "write" | "close">;

/** The length of this message, and the code 80877103. */
const SSL_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);
const ACCEPTS_TLS = "S".charCodeAt(0);

/** @throws SessionLost when the server does not offer TLS */
export async function askForTls(transport: Transport): Promise<void> {
  await writeAll(transport, SSL_REQUEST);
  // Exactly one byte: more bytes would be unencrypted, and must not count as an answer.
  const answer = new Uint8Array(2);
  const count = await transport.read(answer);
  if (count !== 1 || answer[0] !== ACCEPTS_TLS) throw new SessionLost("PostgreSQL does not offer TLS here");
}

export async function writeAll(transport: Transport, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await transport.write(bytes.subarray(written));
}
