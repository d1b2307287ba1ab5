/* One account at a time holds a name. After a release, other accounts must wait a while before they can take it. */
// deno-lint-ignore-file no-console

import { type DecisionModel, EventStore } from "eventstore-client";

export interface Events {
  NameTaken: { at: string };
  NameReleased: { at: string };
}
type Store = EventStore<Events>;

export const RESERVED_DAYS = 3;
const DAY = 24 * 60 * 60 * 1000;

/** The error for an action that the rules do not allow. */
export class ApiError extends Error {}

interface Usage {
  readonly holder: string | undefined;
  /** In milliseconds since 1970, like `Date.now()`. */
  readonly reservedUntil: number;
}
const usageOf = (username: string): DecisionModel<Events, Usage> => ({
  query: { types: ["NameTaken", "NameReleased"], identifiers: { username } },
  initial: { holder: undefined, reservedUntil: 0 },
  apply: (usage, { type, identifiers, payload }) =>
    type === "NameTaken"
      ? { ...usage, holder: String(identifiers["account"]) }
      : { holder: undefined, reservedUntil: Date.parse(payload.at) + RESERVED_DAYS * DAY },
});

export async function takeName(
  store: Store,
  username: string,
  account: string,
  now = new Date(),
): Promise<void> {
  await store.decide(usageOf(username), ({ holder, reservedUntil }) => {
    if (holder !== undefined) throw new ApiError("the name is taken");
    if (now.getTime() < reservedUntil) throw new ApiError("the name was released not long ago");
    return { type: "NameTaken", identifiers: { username, account }, payload: { at: now.toISOString() } };
  });
}

export async function releaseName(
  store: Store,
  username: string,
  account: string,
  now = new Date(),
): Promise<void> {
  await store.decide(usageOf(username), ({ holder }) => {
    if (holder !== account) throw new ApiError("the account does not hold the name");
    return { type: "NameReleased", identifiers: { username, account }, payload: { at: now.toISOString() } };
  });
}

if (import.meta.main) {
  const store: Store = new EventStore({ url: Deno.args[0] ?? "http://127.0.0.1:8085" });
  const name = `name-${crypto.randomUUID()}`;
  const inDays = (days: number): Date => new Date(Date.now() + days * DAY);
  const tell = (what: string, call: Promise<void>): Promise<void> =>
    call.then(() => console.log(`${what}: done`), (error) => {
      if (!(error instanceof ApiError)) throw error;
      console.log(`${what}: ${error.message}`);
    });
  await tell("Ada takes the name", takeName(store, name, "ada"));
  await tell("Grace takes it too", takeName(store, name, "grace"));
  await tell("Ada releases it", releaseName(store, name, "ada"));
  await tell("Grace takes it a day later", takeName(store, name, "grace", inDays(1)));
  await tell("Grace takes it four days later", takeName(store, name, "grace", inDays(4)));
}
