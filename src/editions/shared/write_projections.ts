import { turnError } from "../../core/turn_end.ts";
import { Refusal } from "../../model/errors.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import type { Verdict } from "../../store/writer.ts";
import type { EditionHost } from "../edition.ts";
import { conflictMessage } from "./conflict_message.ts";
import { type VersionLists, versionLists } from "./version_lists.ts";

/** Projections of a request that writes nothing else, and what becomes of it. */
export interface ProjectionWrite {
  readonly projections: ProjectionChanges;
  /** Aborts when the client leaves; without it the write runs all the same. */
  readonly client?: AbortSignal;
  readonly onVerdict?: (verdict: Verdict) => void;
}

/**
 * Writes projections in a turn, all or nothing.
 * @returns the versions for the answer, and the store that they were written to
 * @throws Refusal on a conflict, or the error of a turn that failed
 */
export async function writeProjections(
  { queue }: EditionHost,
  { projections, client, onVerdict }: ProjectionWrite,
): Promise<{ readonly versions: VersionLists; readonly storeId: string }> {
  const { verdict, storeId } = await queue.write(
    "projections",
    { conditions: [], projections, events: [] },
    client,
  );
  onVerdict?.(verdict);
  if (verdict.kind === "conflict") {
    throw new Refusal("ConcurrencyException", conflictMessage(verdict.conflict, ""));
  }
  if (verdict.kind !== "committed") throw turnError(verdict);
  return { versions: versionLists(verdict.versions), storeId };
}
