import { join } from "node:path";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { emptyStore, type StoreContent } from "../history/store_content.ts";
import { faultsOf } from "../history/check_history.ts";
import { Random } from "../workload/random.ts";
import { Disk } from "./disk.ts";
import { OpenedImages } from "./opened_images.ts";
import { record, type Recording } from "./recording.ts";
import { survivalOf, type Way, WAYS } from "./survivals.ts";
import type { Entry } from "../history/record.ts";

/*
 * A run of a server is recorded with all its operations on files. Then the power is cut before each of these
 * operations. Synced data is on the disk. Unsynced data survives, is dropped, survives in part, or is torn. Each
 * resulting disk is opened as a server opens it, and compared with the answers that the clients had received by then.
 */

interface Tally {
  rounds: number;
  recordings: number;
  operations: number;
  /** Different states. */
  opened: number;
  /** States in which unsynced changes could be lost. */
  atStake: number;
  acknowledged: number;
}

export async function powerCuts(context: CheckContext): Promise<Figures> {
  const random = new Random(context.seed);
  const tally: Tally = { rounds: 0, recordings: 0, operations: 0, opened: 0, atStake: 0, acknowledged: 0 };
  while (!context.extent.isOver(tally.rounds)) {
    const directory = join(context.directory, `recording_${tally.recordings}`);
    Deno.mkdirSync(directory);
    const recording = await record({ edition: context.edition, directory }, random.fork());
    demand("power cuts", Infinity, { operations: [recording.traced.length, 300] });
    // Each operation is tried with each way once, before another run is recorded.
    using images = new OpenedImages(context.edition);
    for (let pass = 0; pass < WAYS.length && !context.extent.isOver(tally.rounds); pass++) {
      cutEverywhere(context, recording, images, random.fork(), pass, tally);
    }
    tally.recordings++;
    tally.opened += images.opened;
    Deno.removeSync(directory, { recursive: true });
  }
  demand("power cuts", tally.rounds, {
    "states in which something was at stake": [tally.atStake, tally.rounds / 2],
    acknowledged: [tally.acknowledged, tally.rounds],
  });
  return { ...tally };
}

/**
 * Goes through the recording once, with one state before each operation, or before fewer operations when fewer are
 * wanted.
 */
function cutEverywhere(
  { extent }: CheckContext,
  recording: Recording,
  images: OpenedImages,
  random: Random,
  pass: number,
  tally: Tally,
): void {
  const { traced, entries } = recording;
  const places = traced.filter(({ kind }) => kind !== "asked" && kind !== "answered").length;
  const states = Math.min(places, extent.left(tally.rounds));
  const disk = new Disk();
  const asked = new Set<number>();
  const answered = new Set<number>();
  let place = 0;
  let cuts = 0;
  for (const operation of traced) {
    if (operation.kind === "asked") asked.add(operation.act);
    else if (operation.kind === "answered") answered.add(operation.act);
    else {
      place++;
      // Before an operation, so that answers already sent count.
      if (cuts < states * place / places && !extent.isOver(tally.rounds)) {
        const way = WAYS[(place + pass) % WAYS.length]!;
        const found = images.contentOf(disk.image(survivalOf(way, random)));
        checkState(recording, evidenceAt(entries, asked, answered), found, answered.size, { place, way });
        cuts++;
        tally.rounds++;
        tally.acknowledged += answered.size;
        if (disk.pending > 0) tally.atStake++;
      }
      disk.apply(operation);
    }
  }
  if (pass === 0) tally.operations += places;
}

/** @throws AuditFailure */
function checkState(
  { storeId }: Recording,
  entries: ReturnType<typeof evidenceAt>,
  found: StoreContent,
  answered: number,
  { place, way }: { readonly place: number; readonly way: Way },
): void {
  // No client had received an ID before the first answer, so an empty store may get another one.
  const isUntold = answered === 0 && found.events.length === 0 && found.storeId !== "";
  const faults = faultsOf(emptyStore(isUntold ? found.storeId : storeId), entries, found);
  if (faults.length === 0) return;
  throw new AuditFailure(
    `the power was cut before operation ${place}, which left ${way} of what was not synced`,
    faults,
  );
}

/**
 * The requests and answers up to a moment. An act whose completing request was not yet received is left out. A rejected
 * act stays in: it must never be present.
 */
function evidenceAt(
  entries: readonly Entry[],
  asked: ReadonlySet<number>,
  answered: ReadonlySet<number>,
): Entry[] {
  const rejected = new Set(
    entries.flatMap((entry) =>
      "answer" in entry && entry.answer.fate === "rejected" ? [entry.answer.id] : []
    ),
  );
  return entries.filter((entry) =>
    "intent" in entry
      ? asked.has(entry.intent.id) || rejected.has(entry.intent.id)
      : answered.has(entry.answer.id) || rejected.has(entry.answer.id)
  );
}
