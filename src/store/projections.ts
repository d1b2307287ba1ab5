import type { ProjectionChanges, ProjectionKey } from "../model/projection.ts";
import type { Database } from "./database.ts";

const encoder = new TextEncoder();

export interface StoredProjection {
  readonly version: string;
  readonly payload: Uint8Array<ArrayBuffer>;
}

export function readProjection(db: Database, key: ProjectionKey): StoredProjection | undefined {
  const row = db.get("SELECT version, payload FROM projection WHERE type = ? AND id = ?", ...keyValues(key));
  return row && { version: row[0] as string, payload: row[1] as Uint8Array<ArrayBuffer> };
}

/** A change that the stored projections don't allow: which list and index, and why. */
export interface ProjectionConflict {
  readonly list: "create" | "replace" | "delete";
  readonly index: number;
  readonly cause: "exists" | "otherVersion";
}

/** Looks for the first change that can't be made. Creates come first, then replaces, then deletes. */
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

/** New versions of the projections that a write created and replaced, in the order sent. */
export interface NewVersions {
  readonly create: readonly string[];
  readonly replace: readonly string[];
}

/** Makes changes that were checked before. */
export function applyProjections(db: Database, changes: ProjectionChanges): NewVersions {
  const versions = {
    create: changes.create.map(() => crypto.randomUUID() as string),
    replace: changes.replace.map(() => crypto.randomUUID() as string),
  };
  for (const [index, change] of changes.create.entries()) {
    const [type, id] = keyValues(change);
    db.run(
      "INSERT INTO projection (type, id, version, payload) VALUES (?, ?, ?, ?)",
      type,
      id,
      versions.create[index]!,
      encoder.encode(change.payload),
    );
  }
  for (const [index, change] of changes.replace.entries()) {
    db.run(
      "UPDATE projection SET version = ?, payload = ? WHERE type = ? AND id = ?",
      versions.replace[index]!,
      encoder.encode(change.payload),
      ...keyValues(change),
    );
  }
  for (const change of changes.delete) {
    db.run("DELETE FROM projection WHERE type = ? AND id = ?", ...keyValues(change));
  }
  return versions;
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
