import { fileFaults, schemaFaults } from "../../store/sqlite/backup/checks/file_check.ts";
import {
  hasForeignEntries,
  PART_EVENTS_MAX,
  TagIndexCheck,
} from "../../store/sqlite/backup/checks/tag_index_check.ts";
import { TimeIndexCheck } from "../../store/sqlite/backup/checks/time_index_check.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { scanEvents } from "../../store/sqlite/tables/events.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { readOrigin } from "../../store/sqlite/tables/origin.ts";
import { hasKeys, hasSubjects } from "../../store/sqlite/tables/subjects.ts";
import type { Range } from "../../store/core/ranges/direction.ts";
import { eventTerms } from "../../store/core/index_terms.ts";
import { CopiedCheck } from "./copied_check.ts";
import { RootsCheck } from "./roots_check.ts";
import { SealedCheck } from "./sealed_check.ts";
import type { SignalGate } from "./signal_gate.ts";
import { Damage, walkHistory } from "./walk_history.ts";

/** SQLite failed on a backup, so its content cannot be checked. `message` is SQLite's own. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/**
 * Checks a whole backup: the file, that no event is missing or changed, that both indexes agree with the events, and that
 * it has no keys.
 * @param sealed looks at the events with encrypted payloads
 * @param roots computes the root, and compares earlier ones
 * @returns the problems; empty when there are none
 * @throws Unreadable
 */
export async function checkHistory(
  db: Database,
  storeId: string,
  gate: SignalGate,
  sealed: SealedCheck = new SealedCheck(),
  roots: RootsCheck = new RootsCheck(),
): Promise<string[]> {
  try {
    const faults = [...fileFaults(db), ...schemaFaults(db)];
    await gate.pass();
    if (faults.length > 0) return faults;
    assertOrigin(db, storeId);
    return await contentFaults(db, gate, sealed, roots);
  } catch (error) {
    if (gate.stopped.aborted) throw error;
    const { message } = error as Error;
    if (error instanceof Damage) return [message];
    throw new Unreadable(message);
  }
}

/** @throws Damage unless the backup's origin is the store in its name */
function assertOrigin(db: Database, storeId: string): void {
  const origin = readOrigin(db);
  if (origin === undefined) throw new Damage("the origin table does not name the store that was backed up");
  if (origin.storeId !== storeId) throw new Damage(`this is a backup of another store, ${origin.storeId}`);
}

async function contentFaults(
  db: Database,
  gate: SignalGate,
  sealed: SealedCheck,
  roots: RootsCheck,
): Promise<string[]> {
  const { head } = readState(db);
  rejectEventsBeforeTheFirst(db);
  const copied = new CopiedCheck(db);
  roots.see(copied.tree);
  const times = new TimeIndexCheck(db);
  const faults: (string | undefined)[] = [];
  for (const range of partsOf(head)) {
    const tags = new TagIndexCheck(db, range);
    for await (const events of walkHistory(db, range, gate)) {
      for (const walked of events) {
        const { sequence } = walked;
        copied.add(walked.line);
        roots.see(copied.tree);
        times.add(sequence, walked.timeMicros);
        tags.add(sequence, eventTerms(walked.event));
        sealed.add(walked);
      }
    }
    faults.push(await differenceOf(tags, gate));
  }
  if (hasForeignEntries(db, head)) faults.push("the tag index has entries for events that do not exist");
  faults.push(times.fault(), ...sealed.faults);
  if (hasSubjects(db) && hasKeys(db)) {
    faults.push("it has keys of subjects, which belong in a file of their own");
  }
  const difference = copied.fault();
  if (difference !== undefined) faults.push(difference, ...sealed.suspects);
  faults.push(roots.end(copied.tree));
  return faults.filter((fault) => fault !== undefined);
}

function rejectEventsBeforeTheFirst(db: Database): void {
  const [first] = scanEvents(db, { after: Number.MIN_SAFE_INTEGER, upTo: 0 }, 1);
  if (first !== undefined) throw new Damage(`event ${first.sequence} precedes the first event`);
}

/** Returns the whole range from 1, in parts that fit the check of the tag index; at least one. */
function* partsOf(head: number): Generator<Range> {
  let after = 0;
  do {
    yield { after, upTo: Math.min(head, after + PART_EVENTS_MAX) };
    after += PART_EVENTS_MAX;
  } while (after < head);
}

async function differenceOf(tags: TagIndexCheck, gate: SignalGate): Promise<string | undefined> {
  const steps = tags.compare();
  for (let step = steps.next();; step = steps.next()) {
    if (step.done === true) return step.value;
    await gate.pass();
  }
}
