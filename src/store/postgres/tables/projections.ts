import type {
  ListRequest,
  ProjectionChanges,
  ProjectionKey,
  ProjectionReplace,
} from "../../../model/projection.ts";
import type { StoredProjection } from "../../api/store.ts";
import type { NewVersions, ProjectionConflict } from "../../api/write.ts";
import { projectionConflict } from "../../core/projection_conflict.ts";
import type { ListedProjection } from "../../core/projection_list.ts";
import { bytesIn, numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import { arrayText, bytesArrayText } from "./array_text.ts";
import {
  LOWEST_TOKEN,
  type ProjectionTokens,
  tokensInOrder,
  tokensOf,
  tokensOfSpace,
  typeTokenOf,
} from "./projection_tokens.ts";

const encoder = new TextEncoder();

/** The server's own projections have an empty type. */
const OF_CLIENTS = "type <> ''";

const AT_KEY = "type_token = $1 AND id_token = $2";

export function readProjection(key: ProjectionKey): Statement {
  return {
    sql: `SELECT version, payload FROM projection WHERE ${AT_KEY}`,
    params: tokensInOrder(key),
  };
}

export function storedProjection(rows: readonly Row[]): StoredProjection | undefined {
  const [row] = rows;
  // A copy, so that the other received bytes can be freed.
  return row && { version: textIn(row[0]), payload: bytesIn(row[1]).slice() };
}

/** Reads projections of a list, in the order of their tokens. PostgreSQL knows the size of a payload without reading it. */
export function listProjections({ space, type, after, limit }: ListRequest): Statement {
  const [first, last] = type === undefined ? tokensOfSpace(space) : [typeTokenOf(type), typeTokenOf(type)];
  const begin = after === undefined ? [first, LOWEST_TOKEN] : tokensInOrder(after);
  return {
    sql: `SELECT type, id, version, octet_length(type) + octet_length(id) + octet_length(payload)
      FROM projection WHERE (type_token, id_token) > ($1, $2) AND type_token <= $3 AND ${OF_CLIENTS}
      ORDER BY type_token, id_token LIMIT $4`,
    params: [...begin, last, String(limit)],
  };
}

/** Each may be as large as the largest projection. */
const WHOLE_ROWS_MAX = 100;

/** Reads projections with their payloads, in the same order. */
export function allProjections(after: ProjectionKey | undefined): Statement {
  return {
    sql: `SELECT type, id, version, payload FROM projection WHERE (type_token, id_token) > ($1, $2)
      AND ${OF_CLIENTS} ORDER BY type_token, id_token LIMIT ${WHOLE_ROWS_MAX}`,
    params: after ? tokensInOrder(after) : [LOWEST_TOKEN, LOWEST_TOKEN],
  };
}

export function storedProjections(rows: readonly Row[]): ProjectionReplace[] {
  return rows.map(([type, id, version, payload]) => ({
    type: textIn(type),
    id: textIn(id),
    version: textIn(version),
    payload: textIn(payload),
  }));
}

export function listedProjections(rows: readonly Row[]): ListedProjection[] {
  return rows.map(([type, id, version, bytes]) => ({
    type: textIn(type),
    id: textIn(id),
    version: textIn(version),
    bytes: numberIn(bytes),
  }));
}

export function deleteProjections(type: string | undefined): Statement {
  const all = "DELETE FROM projection";
  return type === undefined
    ? { sql: all }
    : { sql: `${all} WHERE type_token = $1`, params: [typeTokenOf(type)] };
}

/** The projections that the writes of a transaction change: their stored versions, and the changes. */
export class ProjectionsInTransaction {
  /** Versions by key. A projection that does not exist has none. */
  readonly #versions = new Map<string, string | undefined>();
  readonly #tokens = new Map<string, ProjectionTokens>();
  readonly #changed = new Map<string, ProjectionReplace | undefined>();

  /** @param changes the projection changes of all writes */
  constructor(changes: Iterable<ProjectionChanges>) {
    for (const { create, replace, delete: deleted } of changes) {
      for (const { type, id } of [...create, ...replace, ...deleted]) {
        const tokens = tokensOf({ type, id });
        this.#tokens.set(keyOf(tokens), tokens);
      }
    }
  }

  /** Reads the stored versions. */
  get question(): Statement | undefined {
    if (this.#tokens.size === 0) return undefined;
    return {
      sql: `SELECT p.type_token::text, p.id_token::text, version
        FROM unnest($1::uuid[], $2::uuid[]) AS k (type_token, id_token)
        JOIN projection p ON p.type_token = k.type_token AND p.id_token = k.id_token`,
      params: tokenParams([...this.#tokens.values()]),
    };
  }

  /** @param rows the answer to `question` */
  know(rows: readonly Row[]): void {
    for (const [typeToken, idToken, version] of rows) {
      const tokens = { typeToken: bare(textIn(typeToken)), idToken: bare(textIn(idToken)) };
      this.#versions.set(keyOf(tokens), textIn(version));
    }
  }

  conflict(changes: ProjectionChanges): ProjectionConflict | undefined {
    return projectionConflict(changes, (key) => this.#versionOf(key));
  }

  /** Makes changes that have been checked. */
  apply(changes: ProjectionChanges): NewVersions {
    const write = (
      { type, id, payload }: ProjectionKey & { readonly payload: string },
    ): { version: string } => {
      const version = crypto.randomUUID();
      this.#set({ type, id }, { type, id, version, payload });
      return { version };
    };
    const create = changes.create.map(write);
    const replace = changes.replace.map(write);
    for (const key of changes.delete) this.#set(key, undefined);
    return { create, replace };
  }

  /** The statements that store the changes. */
  get statements(): Statement[] {
    const written: [ProjectionTokens, ProjectionReplace][] = [];
    const deleted: ProjectionTokens[] = [];
    for (const [key, projection] of this.#changed) {
      if (projection === undefined) deleted.push(this.#tokens.get(key)!);
      else written.push([this.#tokens.get(key)!, projection]);
    }
    return [...deleteStatements(deleted), ...writeStatements(written)];
  }

  #versionOf({ type, id }: ProjectionKey): string | undefined {
    return this.#versions.get(keyOf(tokensOf({ type, id })));
  }

  #set({ type, id }: ProjectionKey, projection: ProjectionReplace | undefined): void {
    const key = keyOf(tokensOf({ type, id }));
    this.#versions.set(key, projection?.version);
    this.#changed.set(key, projection);
  }
}

function keyOf({ typeToken, idToken }: ProjectionTokens): string {
  return `${typeToken} ${idToken}`;
}

/** A `uuid` as PostgreSQL writes it, without its dashes. */
function bare(uuid: string): string {
  return uuid.replaceAll("-", "");
}

function tokenParams(tokens: readonly ProjectionTokens[]): string[] {
  return [
    arrayText(tokens.map(({ typeToken }) => typeToken)),
    arrayText(tokens.map(({ idToken }) => idToken)),
  ];
}

function deleteStatements(deleted: readonly ProjectionTokens[]): Statement[] {
  if (deleted.length === 0) return [];
  const sql = `DELETE FROM projection p USING unnest($1::uuid[], $2::uuid[]) AS k (type_token, id_token)
    WHERE p.type_token = k.type_token AND p.id_token = k.id_token`;
  return [{ sql, params: tokenParams(deleted) }];
}

/** Adds projections with their versions. */
export function insertProjections(projections: readonly ProjectionReplace[]): Statement[] {
  return writeStatements(projections.map((one) => [tokensOf(one), one]));
}

function writeStatements(written: readonly [ProjectionTokens, ProjectionReplace][]): Statement[] {
  if (written.length === 0) return [];
  const projections = written.map(([, projection]) => projection);
  const bytes = (texts: readonly string[]): string =>
    bytesArrayText(texts.map((text) => encoder.encode(text)));
  const sql = `INSERT INTO projection (type_token, id_token, type, id, version, payload)
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[], $5::text[], $6::bytea[])
    ON CONFLICT (type_token, id_token) DO UPDATE SET version = excluded.version, payload = excluded.payload`;
  const params = [
    ...tokenParams(written.map(([tokens]) => tokens)),
    bytes(projections.map(({ type }) => type)),
    bytes(projections.map(({ id }) => id)),
    arrayText(projections.map(({ version }) => version)),
    bytes(projections.map(({ payload }) => payload)),
  ];
  return [{ sql, params }];
}
