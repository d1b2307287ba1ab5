import {
  Conflict,
  ConnectionLost,
  EventStoreError,
  Refused,
  StoreReset,
  Unavailable,
} from "../../client/mod.ts";

/** The exit codes of the program, for scripts. */
export const ShellExit = {
  ok: 0,
  failure: 1,
  wrong: 2,
  conflict: 3,
  notFound: 4,
  unreachable: 5,
  outcomeUnknown: 6,
  notAllowed: 7,
  notVerified: 8,
  writesFail: 9,
} as const;

/** A flag, an argument or an event is wrong. Nothing was written. */
export class Wrong extends Error {}

/** A condition does not hold. Nothing was written. */
export class Broken extends Error {}

/** No address is given, and the default socket is missing, as while the server restarts. */
export class NoServer extends Error {}

/** The requested item does not exist. */
export class NotFound extends Error {}

/** The store, or what the server says of it, is not what it must be. */
export class NotVerified extends Error {}

/** The server answers, but writes fail there through no fault of a client. */
export class WritesFail extends Error {}

/** Returns the exit code of an error. */
export function exitCodeOf(error: unknown): number {
  // The reader of the output has seen enough.
  if (error instanceof Deno.errors.BrokenPipe) return ShellExit.ok;
  if (error instanceof Wrong) return ShellExit.wrong;
  if (error instanceof NotVerified) return ShellExit.notVerified;
  if (error instanceof NoServer) return ShellExit.unreachable;
  if (error instanceof WritesFail) return ShellExit.writesFail;
  if (error instanceof NotFound) return ShellExit.notFound;
  if (error instanceof Broken || error instanceof Conflict || error instanceof StoreReset) {
    return ShellExit.conflict;
  }
  if (error instanceof EventStoreError && error.outcomeUnknown) return ShellExit.outcomeUnknown;
  if (error instanceof ConnectionLost || error instanceof Unavailable) return ShellExit.unreachable;
  if (error instanceof Refused && [401, 403].includes(error.status)) return ShellExit.notAllowed;
  if (error instanceof Refused && [400, 413].includes(error.status)) return ShellExit.wrong;
  return ShellExit.failure;
}

/** Returns the message of an error, or undefined when none is needed. */
export function messageOf(error: unknown, serverName: string | undefined): string | undefined {
  if (error instanceof Deno.errors.BrokenPipe) return undefined;
  const { message } = error as Error;
  if (!(error instanceof EventStoreError) || serverName === undefined) return message;
  // Without a connection, the client's message has the name already.
  if (error instanceof Unavailable && error.status === 0) {
    return message.replace(/set DENO_CERT or .*(?=\))/, "name it with --ca-file");
  }
  return `${serverName}: ${explained(error)}`;
}

/** Advice on errors for which the server sends only a name. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ["Paused", "nothing is written until POST /resume"],
  ["NotPaused", "this edition does it only during a pause (POST /pause)"],
]);

function explained(error: EventStoreError): string {
  const { code, message, status } = error;
  const hint = HINTS.get(code);
  if (hint !== undefined) return `${message}: ${hint}`;
  if (error.outcomeUnknown) return `the answer was lost; check whether it was written: ${message}`;
  if (status === 401) return `${message}; give the token with --token-file or EVENTSTORE_TOKEN`;
  return error instanceof ConnectionLost ? `no answer: ${message}` : message;
}
