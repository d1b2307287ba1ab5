import type { ListRequest, ProjectionChanges, ProjectionKey } from "../../../model/projection.ts";
import type { StoredProjection } from "../../api/store.ts";
import type { NewVersions } from "../../api/write.ts";
import type { ListedProjection } from "../../core/projection_list.ts";
import type { Database } from "../connection/database.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function readProjection(db: Database, key: ProjectionKey): StoredProjection | undefined {
  const row = db.get("SELECT version, payload FROM projection WHERE type = ? AND id = ?", ...keyValues(key));
  return row && { version: row[0] as string, payload: row[1] as Uint8Array<ArrayBuffer> };
}

/** Returns projections of a list, by the bytes of type and ID. SQLite knows the size of a payload without reading it. */
export function listProjections(db: Database, { type, after, limit }: ListRequest): ListedProjection[] {
  const [where, values] = type === undefined
    ? ["(type, id) > (?, ?)", keyValues(after ?? { type: "", id: "" })]
    : ["type = ? AND id > ?", keyValues({ type, id: after?.id ?? "" })];
  const sql = `SELECT type, id, version, length(type) + length(id) + length(payload) FROM projection
    WHERE ${where} ORDER BY type, id LIMIT ?`;
  return db.all(sql, ...values, BigInt(limit)).map(([type, id, version, bytes]) => ({
    type: decoder.decode(type as Uint8Array),
    id: decoder.decode(id as Uint8Array),
    version: version as string,
    bytes: Number(bytes),
  }));
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

export function deleteProjections(db: Database, type: string | undefined): void {
  if (type === undefined) db.run("DELETE FROM projection");
  else db.run("DELETE FROM projection WHERE type = ?", encoder.encode(type));
}

export function storedVersion(db: Database, key: ProjectionKey): string | undefined {
  return db.get("SELECT version FROM projection WHERE type = ? AND id = ?", ...keyValues(key))?.[0] as
    | string
    | undefined;
}

function keyValues(key: ProjectionKey): [type: Uint8Array, id: Uint8Array] {
  return [encoder.encode(key.type), encoder.encode(key.id)];
}
