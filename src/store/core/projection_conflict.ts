import type { ProjectionChanges, ProjectionKey } from "../../model/projection.ts";
import type { ProjectionConflict } from "../api/write.ts";

/**
 * Finds the first change that cannot be made. Creates come first, then replaces, then deletes.
 * @param versionOf the stored version of a projection, if it exists
 */
export function projectionConflict(
  changes: ProjectionChanges,
  versionOf: (key: ProjectionKey) => string | undefined,
): ProjectionConflict | undefined {
  for (const [index, change] of changes.create.entries()) {
    if (versionOf(change) !== undefined) return { list: "create", index, cause: "exists" };
  }
  for (const list of ["replace", "delete"] as const) {
    for (const [index, change] of changes[list].entries()) {
      if (versionOf(change) !== change.version) return { list, index, cause: "otherVersion" };
    }
  }
  return undefined;
}
