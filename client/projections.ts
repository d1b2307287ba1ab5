import type { Refused } from "./errors.ts";
import type { Call } from "./exchange.ts";
import type { ListedProjection, ListOptions } from "./list_projections.ts";
import type { CallOptions } from "./options.ts";
import type { Server } from "./server.ts";
import { payloadOf } from "./wire.ts";
import { type ProjectionChanges, type ProjectionVersions, wireProjections, write } from "./writing.ts";

/** A stored projection. */
export interface Projection<Payload = unknown> {
  /** The payload as it was written. */
  readonly payload: Payload;
  /** Pass it on to replace or delete the projection. */
  readonly version: string;
}

/**
 * The projections of a store: values with a version, addressed by type and id. They can also be changed together
 * with events, in `append`.
 */
export class Projections {
  readonly #server: Server;

  /** An `EventStore` creates it, as its `projections`. */
  constructor(server: Server) {
    this.#server = server;
  }

  /**
   * One projection; undefined when there is none.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const course = await store.projections.get<{ free: number }>("course", "c1");
   * console.log(course?.payload.free ?? "no such course");
   * ```
   */
  async get<Payload = unknown>(
    type: string,
    id: string,
    options: CallOptions = {},
  ): Promise<Projection<Payload> | undefined> {
    return await getProjection(this.#server, pathOf(type, id), { signal: options.signal });
  }

  /**
   * All projections, or those of a type, without their payloads. They come in pages, in an order of the server's.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * for await (const { id, bytes } of store.projections.list({ type: "course" })) console.log(id, bytes);
   * ```
   */
  async *list(options: ListOptions = {}): AsyncGenerator<ListedProjection> {
    yield* (await import("./list_projections.ts")).listProjections(this.#server, options);
  }

  /**
   * Creates, replaces and deletes, all or nothing. In edition C only during a pause.
   * @throws {Conflict} when one to create exists already, or another no longer has its version
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const { create } = await store.projections.write({
   *   create: [{ type: "course", id: "c1", payload: { free: 30 } }],
   * });
   * await store.projections.write({
   *   replace: [{ type: "course", id: "c1", version: create[0]!.version, payload: { free: 29 } }],
   * });
   * ```
   */
  async write(changes: ProjectionChanges, options: CallOptions = {}): Promise<ProjectionVersions> {
    if (this.#server.edition === "A") {
      return (await write(this.#server, [], { projections: changes, signal: options.signal })).projections;
    }
    const body = wireProjections(this.#server, changes);
    const call = {
      method: "POST",
      path: "/projections",
      body,
      changes: true,
      signal: options.signal,
    } as const;
    const { json, body: versions } = await this.#server.repeat(call);
    return json(versions);
  }

  /**
   * Deletes all projections of a type, whatever their versions.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * await store.projections.deleteType("course");
   * ```
   */
  async deleteType(type: string, options: CallOptions = {}): Promise<void> {
    await this.#delete(`/projections/${segment(type)}`, options);
  }

  /**
   * Deletes all projections of all types.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * await store.projections.deleteAll();
   * ```
   */
  async deleteAll(options: CallOptions = {}): Promise<void> {
    await this.#delete("/projections", options);
  }

  async #delete(path: string, { signal }: CallOptions): Promise<void> {
    await this.#server.repeat({ method: "DELETE", path, success: 204, changes: true, signal });
  }
}

/** Returns a projection by its path; undefined when there is none. */
export async function getProjection<Payload>(
  server: Server,
  path: string,
  options: CallOptions & Pick<Call, "headers">,
  hasVersion = true,
): Promise<Projection<Payload> | undefined> {
  try {
    const { header, body } = await server.repeat({ method: "GET", path, ...options });
    const version = hasVersion ? header("x-service-version") : "";
    return { payload: payloadOf(body, server.payload, path) as Payload, version };
  } catch (error) {
    if ((error as Partial<Refused>).code === "ProjectionNotFound") return undefined;
    throw error;
  }
}

/** The path of a projection. */
export function pathOf(type: string, id: string): string {
  return `/projections/${segment(type)}/${segment(id)}`;
}

/** `fetch` normalizes a segment of dots like a folder, even an escaped one. */
function segment(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`no path can hold "${text}"`);
  return encodeURIComponent(text);
}
