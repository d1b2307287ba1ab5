import type {
  ListRequest,
  ProjectionChanges,
  ProjectionKey,
  ProjectionReplace,
} from "../../../model/projection.ts";
import type { StoredProjection } from "../../api/store.ts";
import type { NewVersions } from "../../api/write.ts";
import type { ListedProjection } from "../../core/projection_list.ts";
import type { Database } from "../connection/database.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The server's own projections have an empty type. */
const OF_CLIENTS = "type <> x''";

export function readProjection(db: Database, key: ProjectionKey): StoredProjection | undefined {
  const row = db.get("SELECT version, payload FROM projection WHERE type = ? AND id = ?", ...keyValues(key));
  return row && { version: row[0] as string, payload: row[1] as Uint8Array<ArrayBuffer> };
}

/** Returns projections of a list, by the bytes of type and ID. SQLite knows the size of a payload without reading it. */
export function listProjections(
  db: Database,
  { space, type, after, limit }: ListRequest,
): ListedProjection[] {
  const begin = keyValues(after ?? { type: type ?? space, id: "" });
  const last = type === undefined ? endOf(space) : encoder.encode(type);
  const sql = `SELECT type, id, version, length(type) + length(id) + length(payload) FROM projection
    WHERE (type, id) > (?, ?) AND type <= ? AND ${OF_CLIENTS} ORDER BY type, id LIMIT ?`;
  return db.all(sql, ...begin, last, BigInt(limit)).map(([type, id, version, bytes]) => ({
    type: decoder.decode(type as Uint8Array),
    id: decoder.decode(id as Uint8Array),
    version: version as string,
    bytes: Number(bytes),
  }));
}

/** Bytes after those of all types of a space: UTF-8 never has the byte 255. */
function endOf(space: string): Uint8Array {
  return new Uint8Array([...encoder.encode(space), 0xff]);
}

/** Yields all projections, one after the other, by the bytes of type and ID. */
export function* allProjections(db: Database): Generator<ProjectionReplace> {
  const sql = `SELECT type, id, version, payload FROM projection
    WHERE (type, id) > (?, ?) AND ${OF_CLIENTS} ORDER BY type, id LIMIT 1`;
  for (let key = keyValues({ type: "", id: "" });;) {
    const row = db.get(sql, ...key);
    if (row === undefined) return;
    const [type, id, version, payload] = row as [Uint8Array, Uint8Array, string, Uint8Array];
    yield { type: decoder.decode(type), id: decoder.decode(id), version, payload: decoder.decode(payload) };
    key = [type, id];
  }
}

/** Makes the changes, which must have been checked. */
export function applyProjections(db: Database, changes: ProjectionChanges): NewVersions {
  const create = changes.create.map((change) => {
    const version = crypto.randomUUID();
    insertProjections(db, [{ ...change, version }]);
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

/** Adds projections with their versions. */
export function insertProjections(db: Database, projections: readonly ProjectionReplace[]): void {
  for (const { version, payload, ...key } of projections) {
    db.run(
      "INSERT INTO projection (type, id, version, payload) VALUES (?, ?, ?, ?)",
      ...keyValues(key),
      version,
      encoder.encode(payload),
    );
  }
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
