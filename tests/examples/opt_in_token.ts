import assert from "node:assert/strict";
import type { StoredEvent } from "../../client/mod.ts";
import {
  ApiError,
  confirmAddress,
  type Events,
  issueToken,
  VALID_MINUTES,
} from "../../examples/opt_in_token.ts";
import { storeOf } from "../client/support.ts";
import {
  carelessRace,
  CLIENTS,
  historyOf,
  inventedHistory,
  isAllowed,
  race,
  server,
  shuffled,
} from "./race.ts";

const ISSUED = Date.UTC(2026, 0, 1);
const afterMinutes = (minutes: number): Date => new Date(ISSUED + minutes * 60_000);

/** The violations of rules at the time of each event. */
function faultsOf(events: readonly StoredEvent<Events>[]): string[] {
  const faults: string[] = [];
  const issued = new Map<string, { email: string; expiresAt: string }>();
  const used = new Set<string>();
  for (const { type, identifiers, payload } of events) {
    const [token, email] = [String(identifiers["token"]), String(identifiers["email"])];
    if (type === "TokenIssued") {
      issued.set(token, { email, expiresAt: payload.expiresAt });
      continue;
    }
    const known = issued.get(token);
    if (known?.email !== email) faults.push(`${token} was not issued for ${email}`);
    if (known && payload.at >= known.expiresAt) faults.push(`${token} had expired`);
    if (used.has(token)) faults.push(`${token} is used twice`);
    used.add(token);
  }
  return faults;
}

Deno.test("opt-in token: each is used once, if a client uses it before it expires", async () => {
  const setup = storeOf<Events>(server);
  const tokens: string[] = [];
  for (let i = 0; i < 10; i++) tokens.push(await issueToken(setup, `${i}@example.com`, afterMinutes(0)));
  const inTime = new Set(tokens.slice(0, 5));
  await race<Events>(async (store, client) => {
    for (const token of shuffled(tokens)) {
      const minutes = client % 2 === 0 && inTime.has(token) ? VALID_MINUTES - 1 : VALID_MINUTES;
      await isAllowed(ApiError, () => confirmAddress(store, token, afterMinutes(minutes)));
    }
    assert.equal(await isAllowed(ApiError, () => confirmAddress(store, "guessed", afterMinutes(0))), false);
  });
  const events = await historyOf<Events>();
  assert.deepEqual(faultsOf(events), []);
  const confirmed = events.filter(({ type }) => type === "AddressConfirmed");
  assert.deepEqual(new Set(confirmed.map(({ identifiers }) => identifiers["token"])), inTime);
});

Deno.test("opt-in token: without conditions, every client uses a token, and it is noticed", async () => {
  const token = await issueToken(storeOf<Events>(server), "1@example.com");
  await carelessRace<Events>((store) => confirmAddress(store, token));
  const faults = faultsOf(await historyOf<Events>());
  assert.deepEqual(faults, new Array(CLIENTS - 1).fill(`${token} is used twice`));
});

Deno.test("opt-in token: one that has expired, or is of another address, is noticed", () => {
  const identifiers = { email: "1@example.com", token: "t1" };
  const events = inventedHistory<Events>(
    { type: "TokenIssued", identifiers, payload: { expiresAt: afterMinutes(60).toISOString() } },
    {
      type: "AddressConfirmed",
      identifiers: { ...identifiers, email: "2@example.com" },
      payload: { at: afterMinutes(60).toISOString() },
    },
  );
  assert.deepEqual(faultsOf(events), ["t1 was not issued for 2@example.com", "t1 had expired"]);
});
