import type { CallOptions } from "./options.ts";
import type { Server } from "./server.ts";

/** The projections to list. */
export interface ListOptions extends CallOptions {
  /** Only projections of this type. */
  readonly type?: string;
  /** Continues a list after this projection. */
  readonly after?: { readonly type: string; readonly id: string };
  /** The most projections. Default: all. */
  readonly limit?: number;
}

/** A projection without its payload. */
export interface ListedProjection {
  /** The kind of projection. */
  readonly type: string;
  /** The ID among projections of this type. */
  readonly id: string;
  /** Pass it on to replace or delete the projection. */
  readonly version: string;
  /** The size of type, ID and payload in bytes, as `maxProjectionSize` counts. */
  readonly bytes: number;
}

/** Yields projections in the server's order, page after page. */
export async function* listProjections(
  server: Server,
  { type, after, limit = Infinity, signal }: ListOptions,
): AsyncGenerator<ListedProjection> {
  for (let left = limit, cursor = after; left > 0;) {
    const query = new URLSearchParams(type === undefined ? {} : { type });
    if (left < Infinity) query.set("limit", String(left));
    if (cursor) {
      const path = [cursor.type, cursor.id].map(encodeURIComponent).join("/");
      query.set("after", type === undefined ? path : cursor.id);
    }
    const { body, json } = await server.repeat({ method: "GET", path: `/projections?${query}`, signal });
    const lines = body.trimEnd().split("\n");
    const { hasMore } = json<{ readonly hasMore: boolean }>(lines.pop()!);
    const listed = lines.map((line) => json<ListedProjection>(line));
    yield* listed;
    if (!hasMore) return;
    left -= listed.length;
    cursor = listed.at(-1);
  }
}
