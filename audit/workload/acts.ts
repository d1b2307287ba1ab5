import type { Act, ProjectionChange } from "../history/record.ts";
import { ACT_TAG, type WireEvent } from "../history/wire_event.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "./random.ts";

/** Characters that have broken stores before. All of them are legal in JSON. */
const ODD_TEXTS = [
  "",
  "\0",
  "a\0b",
  '"\\',
  "\u{2028}",
  "e\u0301",
  "\u{1F600}",
  "\ud7ff\ue000",
  "  ",
  "%2F",
  "\x7f",
];

/** The IDs of the projections of one client. They are few, so that they are created, replaced and deleted in turn. */
const PROJECTION_IDS = ["1", "two", "3/\0"];

/** The maximum length of a payload. Beyond a page of the database it takes overflow pages. */
const LONG_TEXT_MAX = 9000;

/** A write of events, of projections, or of both. */
export function randomWrite(random: Random, client: string, id: number): Act {
  const kind = random.below(10);
  const events = kind === 9 ? 0 : 1 + (kind === 8 ? random.below(30) : random.below(3));
  return {
    kind: "write",
    events: Array.from({ length: events }, (_, i) => randomEvent(random, client, id, i)),
    projections: kind < 5 && kind !== 0 ? [] : randomChanges(random, client, id),
    condition: random.pick(["none", "none", "none", "none", "doomed", "rolledBack"]),
  };
}

function randomEvent(random: Random, client: string, id: number, i: number): WireEvent {
  const odd = random.chance(0.2) ? random.pick(ODD_TEXTS) : "";
  const length = random.chance(0.05) ? random.below(LONG_TEXT_MAX) : random.below(40);
  return {
    type: random.pick(["noted", "counted", "moved"]),
    identifiers: random.chance(0.3) ? { also: [`${id}.${i}`, `${odd}!`], by: client } : { by: client },
    metadata: { [ACT_TAG]: String(id) },
    payload: `${odd}${id}.${i}`.padEnd(length, "x"),
  };
}

function randomChanges(random: Random, client: string, id: number): ProjectionChange[] {
  const count = 1 + random.below(PROJECTION_IDS.length);
  return PROJECTION_IDS.slice(0, count).map((name): ProjectionChange => ({
    type: client,
    id: name,
    payload: random.chance(0.25) ? undefined : `${random.pick(ODD_TEXTS)}${id}`,
  }));
}

/** Acts that only a client without others may do, since they affect the outcome of the others. */
const ADMINISTRATION: Readonly<Record<EditionName, readonly Exclude<Act["kind"], "write" | "forget">[]>> = {
  A: ["deleteProjections", "reset"],
  B: ["deleteProjections", "pause", "resume", "optimize", "reset"],
  C: ["deleteProjections", "pause", "resume", "reset"],
};

/** Writes in between, and every endpoint that changes the store. */
export function randomAdministration(random: Random, edition: EditionName, client: string, id: number): Act {
  if (random.chance(0.5)) return randomWrite(random, client, id);
  const kind = random.pick(ADMINISTRATION[edition]);
  return kind === "deleteProjections" ? { kind, type: random.chance(0.5) ? client : undefined } : { kind };
}

/** An act of a client that acts in parallel with others. */
export function randomLoad(random: Random, client: string, id: number): Act {
  return random.chance(0.04) ? { kind: "deleteProjections", type: client } : randomWrite(random, client, id);
}
