import type { PostgresAddress } from "../../../config/postgres_url.ts";
import { textIn } from "./cells.ts";
import { connect } from "./connect.ts";
import { DatabaseError, SessionLost } from "./errors.ts";
import { type Message, MessageReader } from "./message_reader.ts";
import { MessageWriter } from "./message_writer.ts";
import { Scram } from "./scram.ts";
import { type Transport, writeAll } from "./transport.ts";

/** The kinds of authentication messages. */
const AUTHENTICATED = 0;
const CLEARTEXT = 3;
const MD5 = 5;
const SASL = 10;
const SASL_CONTINUE = 11;
const SASL_FINAL = 12;

const MECHANISM = "SCRAM-SHA-256";

/** The longest message before the server has proven its identity, as in PostgreSQL's own library. */
const STRANGER_BYTES_MAX = 30_000;

/** The longest error message that is shown. */
const SHOWN_LENGTH_MAX = 1000;

/**
 * Connects and logs in.
 * @param parameters settings of the session
 * @param onMade called with each connection, of which the last one is that of the session
 * @returns the reader of further messages
 * @throws DatabaseError, SessionLost
 */
export async function greet(
  address: PostgresAddress,
  parameters: Readonly<Record<string, string>>,
  onMade: (conn: Transport) => void,
): Promise<MessageReader> {
  const conn = await connect(address.server, onMade);
  const reader = new MessageReader(conn, STRANGER_BYTES_MAX);
  const writer = new MessageWriter();
  const { user, database } = address;
  writer.startup({ user, database, client_encoding: "UTF8", ...parameters });
  await writeAll(conn, writer.take());
  await logIn(address, conn, reader);
  reader.trust();
  for (;;) {
    const { kind, body } = await nextMessage(reader);
    if (kind === "E") throw errorIn(body).error;
    if (kind === "Z") return reader;
  }
}

/**
 * Waits for the next message.
 * @throws SessionLost
 */
export async function nextMessage(reader: MessageReader): Promise<Message> {
  for (;;) {
    const message = reader.received();
    if (message !== undefined) return message;
    if (!await reader.receive()) throw new SessionLost("PostgreSQL has closed the connection");
  }
}

/** @throws DatabaseError, SessionLost */
async function logIn(address: PostgresAddress, conn: Transport, reader: MessageReader): Promise<void> {
  const { server, password, user } = address;
  const isServerKnown = server.transport === "tcp" && server.tls?.verifiesName === true;
  const writer = new MessageWriter();
  let scram: Scram | undefined;
  // A server that asks for no proof may be an impostor.
  let isProven = password === undefined;
  for (;;) {
    const { kind, body } = await nextMessage(reader);
    if (kind === "E") throw errorIn(body).error;
    if (kind !== "R" || body.length < 4) throw new SessionLost("this is not PostgreSQL");
    const asked = new DataView(body.buffer, body.byteOffset).getInt32(0);
    if (asked === AUTHENTICATED) {
      if (isProven) return;
      throw new SessionLost(
        scram === undefined ? withoutProof(user) : "the server did not prove that it knows the password",
      );
    }
    if (password === undefined) throw new SessionLost(`PostgreSQL asks for the password of ${user}`);
    if (asked === CLEARTEXT && isServerKnown) {
      writer.password(password);
      isProven = true;
    } else if (asked === SASL && scram === undefined && mechanismsIn(body).includes(MECHANISM)) {
      scram = new Scram(password);
      isProven = false;
      writer.saslInitial(MECHANISM, scram.first);
    } else if (asked === SASL_CONTINUE && scram?.isAnswered === false) {
      writer.saslResponse(await scram.answer(textIn(body.subarray(4))));
    } else if (asked === SASL_FINAL && scram !== undefined) {
      isProven = scram.proves(textIn(body.subarray(4)));
    } else throw new SessionLost(`PostgreSQL wants to see ${unsafeWay(asked)}; scram-sha-256 is needed`);
    await writeAll(conn, writer.take());
  }
}

function mechanismsIn(body: Uint8Array<ArrayBuffer>): string[] {
  return textIn(body.subarray(4)).split("\0");
}

function withoutProof(user: string): string {
  return `PostgreSQL lets ${user} in without asking for the password, so it may be another server: ` +
    "ask for scram-sha-256 in pg_hba.conf, or remove the password from the URL";
}

function unsafeWay(asked: number): string {
  if (asked === CLEARTEXT) return "the password without TLS that has checked the name (sslmode=verify-full)";
  return asked === MD5 ? "an MD5 hash of the password" : `a login of kind ${asked}`;
}

/** Returns the error in a message, and whether it ends the session. */
export function errorIn(body: Uint8Array<ArrayBuffer>): { error: DatabaseError; isFatal: boolean } {
  const fields = fieldsIn(body);
  const error = new DatabaseError(
    fields.get("C") ?? "",
    shown(fields.get("M") ?? "an error without a message"),
  );
  return { error, isFatal: (fields.get("V") ?? fields.get("S")) !== "ERROR" };
}

/** A text from the network as one short line without control characters. */
function shown(text: string): string {
  return text.slice(0, SHOWN_LENGTH_MAX).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}

/**
 * True for the notice that a transaction is committed here, and perhaps on no replica: the wait for a replica was
 * cancelled. Only the routine in the notice is the same in every language.
 */
export function isUnreplicated(body: Uint8Array<ArrayBuffer>): boolean {
  return fieldsIn(body).get("R") === "SyncRepWaitForLSN";
}

/** The fields of an error or a notice, by the letter of each. */
function fieldsIn(body: Uint8Array<ArrayBuffer>): Map<string, string> {
  return new Map(textIn(body).split("\0").map((field) => [field.charAt(0), field.slice(1)]));
}
