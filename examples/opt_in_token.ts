/* A token confirms an address: once, and not after it has expired. */
// deno-lint-ignore-file no-console

import { type DecisionModel, EventStore } from "eventstore-client";

export interface Events {
  TokenIssued: { expiresAt: string };
  AddressConfirmed: { at: string };
}
type Store = EventStore<Events>;

export const VALID_MINUTES = 60;
const MINUTE = 60 * 1000;

/** The error for an action that the rules do not allow. */
export class ApiError extends Error {}

interface Token {
  readonly email: string;
  /** In milliseconds since 1970, like `Date.now()`. */
  readonly expiresAt: number;
  readonly isUsed: boolean;
}
const tokenOf = (token: string): DecisionModel<Events, Token | undefined> => ({
  query: { types: ["TokenIssued", "AddressConfirmed"], identifiers: { token } },
  initial: undefined,
  apply: (known, { type, identifiers, payload }) =>
    type === "TokenIssued"
      ? { email: String(identifiers["email"]), expiresAt: Date.parse(payload.expiresAt), isUsed: false }
      : known && { ...known, isUsed: true },
});

/** Issues a token for the mail to the address. The token is new, so there is nothing to decide. */
export async function issueToken(store: Store, email: string, now = new Date()): Promise<string> {
  const token = crypto.randomUUID();
  const expiresAt = new Date(now.getTime() + VALID_MINUTES * MINUTE).toISOString();
  await store.append({ type: "TokenIssued", identifiers: { email, token }, payload: { expiresAt } });
  return token;
}

export async function confirmAddress(store: Store, token: string, now = new Date()): Promise<void> {
  await store.decide(tokenOf(token), (known) => {
    if (known === undefined) throw new ApiError("there is no such token");
    if (known.isUsed) throw new ApiError("the token has been used");
    if (now.getTime() >= known.expiresAt) throw new ApiError("the token has expired");
    return {
      type: "AddressConfirmed",
      identifiers: { email: known.email, token },
      payload: { at: now.toISOString() },
    };
  });
}

if (import.meta.main) {
  const store: Store = new EventStore({ url: Deno.args[0] ?? "http://127.0.0.1:8085" });
  const email = `${crypto.randomUUID()}@example.com`;
  const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * MINUTE);
  const tell = (what: string, call: Promise<void>): Promise<void> =>
    call.then(() => console.log(`${what}: done`), (error) => {
      if (!(error instanceof ApiError)) throw error;
      console.log(`${what}: ${error.message}`);
    });
  const token = await issueToken(store, email);
  await tell("it is used after two hours", confirmAddress(store, token, inMinutes(120)));
  await tell("it is used in time", confirmAddress(store, token, inMinutes(10)));
  await tell("it is used again", confirmAddress(store, token, inMinutes(11)));
}
