import type { Conflict } from "../../store/run_write.ts";

/** What the client reads of a conflict; `prefix` stands in front of the lists of projections. */
export function conflictMessage({ list, index, cause }: Conflict, prefix: "projections." | ""): string {
  switch (cause) {
    case "eventMatches":
      return `conditions[${index}] no longer holds`;
    case "otherStore":
      return `conditions[${index}] was read on another store`;
    case "exists":
      return `${prefix}${list}[${index}] already exists`;
    case "otherVersion":
      return `${prefix}${list}[${index}] no longer has the given version`;
  }
}
