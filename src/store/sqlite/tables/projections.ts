import type { ProjectionChanges, ProjectionKey } from "../../../model/projection.ts";
import type { StoredProjection } from "../../api/store.ts";
import type { NewVersions, ProjectionConflict } from "../../api/write.ts";
import type { Database } from "../connection/database.ts";

const encoder = new TextEncoder();

export function readProjection(db: Database, key: ProjectionKey): StoredProjection | undefined {
  const row = db.get("SELECT version, payload FROM projection WHERE type = ? AND id = ?", ...keyValues(key));
  return row && { version: row[0] as string, payload: row[1] as Uint8Array<ArrayBuffer> };
}

/** Finds the first change that cannot be made. Creates come first, then replaces, then deletes. */
export function projectionConflict(db: Database, changes: ProjectionChanges): ProjectionConflict | undefined {
  for (const [index, change] of changes.create.entries()) {
    if (storedVersion(db, change) !== undefined) return { list: "create", index, cause: "exists" };
  }
  for (const list of ["replace", "delete"] as const) {
    for (const [index, change] of changes[list].entries()) {
      if (storedVersion(db, change) !== change.version) return { list, index, cause: "otherVersion" };
    }
  }
  return undefined;
}

/** Makes the changes, which must have been checked. */
export function applyProjections(db: Database, changes: ProjectionChanges): NewVersions {
  const create = changes.create.map((change) => {
    const version = crypto.randomUUID();
    db.run(
      "INSERT INTO projection (type, id, version, payload) VALUES (?, ?, ?, ?)",
      ...keyValues(change),
      version,
      encoder.encode(change.payload),
    );
    return { version };
  });
  const replace = changes.replace.map((change) => {
    const version = crypto.randomUUID();
    db.run(
      "UPDATE projection SET version = ?, payload = ? WHERE type = ? AND id = ?",
      version,
      encoder.encode(change.payload),
      ...keyValues(change),
    );
    return { version };
  });
  for (const change of changes.delete) {
    db.run("DELETE FROM projection WHERE type = ? AND id = ?", ...keyValues(change));
  }
  return { create, replace };
}

/** Deletes the projections of one type, or all of them. */
export function deleteProjections(db: Database, type: string | undefined): void {
  if (type === undefined) db.run("DELETE FROM projection");
  else db.run("DELETE FROM projection WHERE type = ?", encoder.encode(type));
}

function storedVersion(db: Database, key: ProjectionKey): string | undefined {
  return db.get("SELECT version FROM projection WHERE type = ? AND id = ?", ...keyValues(key))?.[0] as
    | string
    | undefined;
}

function keyValues(key: ProjectionKey): [type: Uint8Array, id: Uint8Array] {
  return [encoder.encode(key.type), encoder.encode(key.id)];
}
