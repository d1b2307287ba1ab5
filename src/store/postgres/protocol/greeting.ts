import type { PostgresAddress, PostgresServer } from "../../../config/postgres_url.ts";
import { textIn } from "./cells.ts";
import { DatabaseError, SessionLost } from "./errors.ts";
import { type Message, MessageReader } from "./message_reader.ts";
import { MessageWriter } from "./message_writer.ts";
import { Scram } from "./scram.ts";

/** What a message of authentication asks for. */
const AUTHENTICATED = 0;
const CLEARTEXT = 3;
const MD5 = 5;
const SASL = 10;
const SASL_CONTINUE = 11;
const SASL_FINAL = 12;

const ACCEPTS_TLS = "S".charCodeAt(0);

/** A connection on which a session has begun. */
export interface Greeted {
  readonly conn: Deno.Conn;
  readonly reader: MessageReader;
}

/**
 * Connects and logs in.
 * @param parameters settings of the session
 * @throws DatabaseError, SessionLost
 */
export async function greet(
  address: PostgresAddress,
  parameters: Readonly<Record<string, string>>,
  onConn: (conn: Deno.Conn) => void,
): Promise<Greeted> {
  const conn = await connect(address.server, onConn);
  const reader = new MessageReader(conn);
  const writer = new MessageWriter();
  const { user, database } = address;
  writer.startup({ user, database, client_encoding: "UTF8", ...parameters });
  await writeAll(conn, writer.take());
  await logIn(address, conn, reader);
  for (;;) {
    const { kind, body } = await nextMessage(reader);
    if (kind === "E") throw errorIn(body).error;
    if (kind === "Z") return { conn, reader };
  }
}

/** A message, whatever it waits for. @throws SessionLost */
export async function nextMessage(reader: MessageReader): Promise<Message> {
  for (;;) {
    const message = reader.arrived();
    if (message !== undefined) return message;
    if (!await reader.receive()) throw new SessionLost("PostgreSQL has closed the connection");
  }
}

export async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await conn.write(bytes.subarray(written));
}

async function connect(server: PostgresServer, onConn: (conn: Deno.Conn) => void): Promise<Deno.Conn> {
  if (server.transport === "unix") {
    const conn = await Deno.connect({ transport: "unix", path: server.path });
    onConn(conn);
    return conn;
  }
  const conn = await Deno.connect({ hostname: server.hostname, port: server.port });
  onConn(conn);
  conn.setNoDelay(true);
  conn.setKeepAlive(true);
  if (server.tls === undefined) return conn;
  const writer = new MessageWriter();
  writer.sslRequest();
  await writeAll(conn, writer.take());
  // One byte, and nothing behind it: what came unencrypted must not count as an answer.
  const answer = new Uint8Array(2);
  const count = await conn.read(answer);
  if (count !== 1 || answer[0] !== ACCEPTS_TLS) throw new SessionLost("PostgreSQL does not offer TLS here");
  const { verifiesName, authoritiesPath } = server.tls;
  const caCerts = authoritiesPath === undefined ? [] : [await Deno.readTextFile(authoritiesPath)];
  const secure = await Deno.startTls(conn, {
    hostname: server.hostname,
    caCerts,
    unsafelyDisableHostnameVerification: !verifiesName,
  });
  onConn(secure);
  await secure.handshake();
  return secure;
}

async function logIn(
  { server, password, user }: PostgresAddress,
  conn: Deno.Conn,
  reader: MessageReader,
): Promise<void> {
  const writer = new MessageWriter();
  let scram: Scram | undefined;
  let isProven = true;
  for (;;) {
    const { kind, body } = await nextMessage(reader);
    if (kind === "E") throw errorIn(body).error;
    if (kind !== "R") continue;
    const asked = new DataView(body.buffer, body.byteOffset).getInt32(0);
    if (asked === AUTHENTICATED) {
      if (isProven) return;
      throw new SessionLost("the server did not prove that it knows the password");
    }
    if (password === undefined) throw new SessionLost(`PostgreSQL asks for the password of ${user}`);
    if (asked === CLEARTEXT && !(server.transport === "tcp" && server.tls === undefined)) {
      writer.password(password);
    } else if (asked === SASL) {
      scram = new Scram(password);
      isProven = false;
      writer.saslInitial("SCRAM-SHA-256", scram.first);
    } else if (asked === SASL_CONTINUE && scram !== undefined) {
      writer.saslResponse(await scram.answer(textIn(body.subarray(4))));
    } else if (asked === SASL_FINAL && scram !== undefined) {
      isProven = scram.proves(textIn(body.subarray(4)));
    } else throw new SessionLost(`PostgreSQL wants to see ${unsafeWay(asked)}; scram-sha-256 is needed`);
    await writeAll(conn, writer.take());
  }
}

function unsafeWay(asked: number): string {
  if (asked === CLEARTEXT) return "the password without TLS";
  return asked === MD5 ? "an MD5 hash of the password" : `a login of kind ${asked}`;
}

/** The error that a message tells of, and whether it ends the session. */
export function errorIn(body: Uint8Array<ArrayBuffer>): { error: DatabaseError; isFatal: boolean } {
  const fields = fieldsIn(body);
  const error = new DatabaseError(fields.get("C") ?? "", fields.get("M") ?? "an error without a message");
  return { error, isFatal: (fields.get("V") ?? fields.get("S")) !== "ERROR" };
}

/**
 * Whether a notice says that a transaction is committed here, and perhaps on no replica: somebody has ended the wait for
 * it. The routine is the only part of it that is the same in every language.
 */
export function isUnreplicated(body: Uint8Array<ArrayBuffer>): boolean {
  return fieldsIn(body).get("R") === "SyncRepWaitForLSN";
}

/** The fields of an error or a notice, by the letter of each. */
function fieldsIn(body: Uint8Array<ArrayBuffer>): Map<string, string> {
  return new Map(textIn(body).split("\0").map((field) => [field.charAt(0), field.slice(1)]));
}
