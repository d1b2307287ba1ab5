import type { ListedProjection } from "../list_projections.ts";
import type { ProjectionVersions } from "../writing.ts";
import { conflict } from "./rejection.ts";
import type { ProjectionBody, ProjectionsBody } from "./wire_types.ts";

/** The most projections of a list. */
const LIST_MAX = 1000;

/** A stored projection. */
interface Stored {
  readonly type: string;
  readonly id: string;
  readonly payload: string;
  readonly version: string;
}

/** The projections of a store in memory. */
export class ProjectionsInMemory {
  readonly #projections = new Map<string, Stored>();

  /** A projection; undefined when there is none. */
  get(type: string, id: string): Stored | undefined {
    return this.#projections.get(keyOf({ type, id }));
  }

  /** Throws a conflict when a projection to create exists, or another does not have its version. */
  check({ create = [], replace = [], delete: deleted = [] }: ProjectionsBody): void {
    for (const [item, one] of create.entries()) {
      if (this.#projections.has(keyOf(one))) {
        throw conflict(`projections.create[${item}] already exists`, { list: "create", item });
      }
    }
    for (const [list, items] of [["replace", replace], ["delete", deleted]] as const) {
      for (const [item, one] of items.entries()) {
        if (this.#projections.get(keyOf(one))?.version === one.version) continue;
        throw conflict(`projections.${list}[${item}] no longer has the given version`, { list, item });
      }
    }
  }

  /** Writes projections that were checked. */
  write({ create = [], replace = [], delete: deleted = [] }: ProjectionsBody): ProjectionVersions {
    const written = (one: ProjectionBody): { version: string } => {
      const version = crypto.randomUUID();
      const { type, id, payload = "" } = one;
      this.#projections.set(keyOf(one), { type, id, payload, version });
      return { version };
    };
    for (const one of deleted) this.#projections.delete(keyOf(one));
    return { create: create.map(written), replace: replace.map(written) };
  }

  /** Deletes all projections, or those of a type. */
  delete(type?: string): void {
    for (const [key, one] of this.#projections) {
      if (type === undefined || one.type === type) this.#projections.delete(key);
    }
  }

  /** A page of projections, by type and ID. */
  list({ type, limit = LIST_MAX, after }: {
    readonly type?: string | undefined;
    readonly limit?: number;
    readonly after?: { readonly type: string; readonly id: string } | undefined;
  }): { readonly listed: readonly ListedProjection[]; readonly hasMore: boolean } {
    const encoder = new TextEncoder();
    const from = after && orderOf(after);
    const found = [...this.#projections.values()]
      .filter((one) =>
        (type === undefined || one.type === type) && (from === undefined || orderOf(one) > from)
      )
      .sort((a, b) => orderOf(a) < orderOf(b) ? -1 : 1);
    const most = Math.min(limit, LIST_MAX);
    const listed = found.slice(0, most).map(({ type, id, version, payload }) => ({
      type,
      id,
      version,
      bytes: encoder.encode(type + id + payload).length,
    }));
    return { listed, hasMore: found.length > most };
  }
}

function keyOf({ type, id }: Pick<ProjectionBody, "type" | "id">): string {
  return JSON.stringify([type, id]);
}

/** Sorts by type, then by ID. No type contains the separator, since escapes replace it. */
function orderOf({ type, id }: Pick<ProjectionBody, "type" | "id">): string {
  return `${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
}
