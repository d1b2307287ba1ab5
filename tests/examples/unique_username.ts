import assert from "node:assert/strict";
import type { StoredEvent } from "../../client/mod.ts";
import {
  ApiError,
  type Events,
  releaseName,
  RESERVED_DAYS,
  takeName,
} from "../../examples/unique_username.ts";
import { carelessRace, CLIENTS, historyOf, inventedHistory, isAllowed, race } from "./race.ts";

const NAMES = ["ada", "grace", "edsger"];
const DAY = 24 * 60 * 60 * 1000;
const dayOf = (days: number): Date => new Date(Date.UTC(2026, 0, 1) + days * DAY);

/** The violations of rules at the time of each event. */
function faultsOf(events: readonly StoredEvent<Events>[]): string[] {
  const faults: string[] = [];
  const holders = new Map<string, string>();
  const releases = new Map<string, string>();
  for (const { type, identifiers, payload } of events) {
    const [name, account] = [String(identifiers["username"]), String(identifiers["account"])];
    const [holder, released] = [holders.get(name), releases.get(name)];
    if (type === "NameReleased") {
      if (holder !== account) faults.push(`${account} released ${name} without holding it`);
      holders.delete(name);
      releases.set(name, payload.at);
      continue;
    }
    if (holder !== undefined) faults.push(`${name} is held by ${holder} and ${account}`);
    if (released && Date.parse(payload.at) - Date.parse(released) < RESERVED_DAYS * DAY) {
      faults.push(`${name} is taken too early`);
    }
    holders.set(name, account);
  }
  return faults;
}

Deno.test("unique username: a name is held by one account at a time, and free again some days after its release", async () => {
  const rounds = 5;
  for (let round = 0; round < rounds; round++) {
    const now = dayOf(2 * round);
    await race<Events>(async (store, client) => {
      for (const name of NAMES) {
        await isAllowed(ApiError, () => takeName(store, name, `account ${client}`, now));
        await isAllowed(ApiError, () => releaseName(store, name, `account ${client}`, now));
      }
    });
  }
  const events = await historyOf<Events>();
  assert.deepEqual(faultsOf(events), []);
  // Released on day 0, a name is still reserved on day 2 and free on day 4.
  for (const name of NAMES) {
    const taken = events.filter(({ type, identifiers }) =>
      type === "NameTaken" && identifiers["username"] === name
    );
    assert.deepEqual(
      taken.map(({ payload }) => payload.at),
      [0, 4, 8].map((day) => dayOf(day).toISOString()),
    );
  }
});

Deno.test("unique username: without conditions, a name has several holders, and it is noticed", async () => {
  await carelessRace<Events>((store, client) => takeName(store, "ada", `account ${client}`));
  const faults = faultsOf(await historyOf<Events>());
  assert.equal(faults.filter((fault) => fault.startsWith("ada is held by")).length, CLIENTS - 1);
});

Deno.test("unique username: a name that is taken too early, or released by others, is noticed", () => {
  const identifiers = { username: "ada", account: "1" };
  const events = inventedHistory<Events>(
    { type: "NameTaken", identifiers, payload: { at: dayOf(0).toISOString() } },
    { type: "NameReleased", identifiers, payload: { at: dayOf(1).toISOString() } },
    { type: "NameTaken", identifiers, payload: { at: dayOf(3.9).toISOString() } },
    {
      type: "NameReleased",
      identifiers: { ...identifiers, account: "2" },
      payload: { at: dayOf(5).toISOString() },
    },
  );
  assert.deepEqual(faultsOf(events), ["ada is taken too early", "2 released ada without holding it"]);
});
