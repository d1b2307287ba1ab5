import type { RootsCheck } from "../history/roots_check.ts";
import type { SealedCheck } from "../history/sealed_check.ts";
import { countEvents } from "./count_events.ts";

/** The facts about a backup that was verified. */
export interface VerifyReport {
  readonly storeId: string;
  /** undefined when the file cannot be read. */
  readonly events: number | undefined;
  readonly isCompared: boolean;
  /** The events with encrypted payloads. */
  readonly sealed: SealedCheck;
  /** The root over all events, and earlier ones. */
  readonly roots: RootsCheck;
  readonly problems: readonly string[];
}

/** Returns the line for people. @param source the source that the events were compared with */
export function verifyLine(
  { storeId, events, isCompared, sealed, roots, problems }: VerifyReport,
  source: string | undefined,
): string {
  if (problems.length > 0) return `${storeId}: not ok: ${problems.join("; ")}\n`;
  const compared = isCompared
    ? `equal to those of ${source}`
    : "not compared, the source holds another store";
  // Without problems, the events were counted.
  const counted = `${countEvents(events!)}${sealedText(sealed)}`;
  const held = source === undefined ? "" : `, ${compared}`;
  return `${storeId}: ok, ${counted}${held}${rootsText(roots)}; root ${roots.root}@${events}\n`;
}

function sealedText({ isOpening, sealed, opened, forgotten, lacking }: SealedCheck): string {
  if (sealed === 0) return "";
  const kinds = `${opened} decrypted, ${forgotten} forgotten, ${lacking} without a key`;
  return `, ${sealed} encrypted${isOpening ? ` (${kinds})` : ""}`;
}

function rootsText({ isComparing, compared }: RootsCheck): string {
  if (!isComparing) return "";
  return `, ${compared} earlier ${compared === 1 ? "root holds" : "roots hold"}`;
}

/** Returns the line for programs. Fields for what a backup does not have, or was not asked for, are left out. */
export function verifyJson({ storeId, events, isCompared, sealed, roots, problems }: VerifyReport): string {
  const ok = problems.length === 0;
  const state = { storeId, ok, events: events ?? null, root: (ok ? roots.root : undefined) ?? null };
  const { sealed: encrypted, opened: decrypted, forgotten, lacking: withoutKey } = sealed;
  const found = encrypted === 0 ? {} : { encrypted };
  const kinds = sealed.isOpening ? { decrypted, forgotten, withoutKey } : {};
  const compared = roots.isComparing ? { comparedRoots: roots.compared } : {};
  return `${
    JSON.stringify({ ...state, comparedWithSource: isCompared, ...compared, ...found, ...kinds, problems })
  }\n`;
}
