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
} as const;

/** A flag, an argument or an event is wrong. Nothing was written. */
export class Wrong extends Error {}

/** A condition does not hold. Nothing was written. */
export class Broken extends Error {}

/** The requested item does not exist. */
export class NotFound extends Error {}

/** Returns the exit code of an error. */
export function exitCodeOf(error: unknown): number {
  // The reader of the output has seen enough.
  if (error instanceof Deno.errors.BrokenPipe) return ShellExit.ok;
  if (error instanceof Wrong) return ShellExit.wrong;
  if (error instanceof NotFound) return ShellExit.notFound;
  if (error instanceof Broken || error instanceof Conflict || error instanceof StoreReset) {
    return ShellExit.conflict;
  }
  if (error instanceof EventStoreError && isOutcomeUnknown(error)) return ShellExit.outcomeUnknown;
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
  if (isOutcomeUnknown(error)) {
    return `the answer was lost; check whether it was written: ${reasonOf(error)}`;
  }
  if (status === 401) return `${message}; give the token with --token-file or EVENTSTORE_TOKEN`;
  return error instanceof ConnectionLost ? `no answer: ${reasonOf(error)}` : message;
}

/**
 * True when a write may have happened. A request without a connection was never sent; only the runtime's message says
 * so.
 */
function isOutcomeUnknown(error: EventStoreError): boolean {
  const isUnsent = error.status === 0 && /^connect E|^client error \(Connect\)/.test(reasonOf(error));
  return error.outcomeUnknown && !isUnsent;
}

/** Returns the message of the innermost cause. The outer messages only say that the request failed. */
function reasonOf(error: Error): string {
  let last = error;
  while (last.cause instanceof Error) last = last.cause;
  // The class name and the address repeat what the message already contains.
  return last.message.replace(/^\w*Error: /, "").replace(/^error sending request for url \(\S*\): /, "");
}
