import { Refused } from "./errors.ts";
import type { CallOptions } from "./options.ts";
import type { Server } from "./server.ts";
import { type ProjectionChanges, type ProjectionVersions, write } from "./writing.ts";

/* Shared by projectors that keep one state and those that keep rows. */

/** When no event matches, the checkpoint is stored once it has moved this far. */
export const SEQUENCES_MAX = 10_000;

/** Options of a projector. */
export interface ProjectOptions extends CallOptions {
  /** The most events that the server sends at a time. */
  readonly limit?: number;
  /** How long the server waits for an event, in seconds, 1 to 60. Default 25. */
  readonly waitSeconds?: number;
}

/** In a store with text payloads, a projector writes JSON text. */
export function asPayload(server: Server, value: unknown): unknown {
  return server.payload === "text" ? JSON.stringify(value) : value;
}

/** Returns the value that a projector has written. */
export function fromPayload<Value>(server: Server, payload: unknown): Value {
  return server.payload === "text" ? JSON.parse(payload as string) : payload as Value;
}

/** Writes projections of a projector. If one is too large, the error has its name, from `nameOf`. */
export async function writeProjections(
  server: Server,
  projector: string,
  projections: ProjectionChanges,
  nameOf: (id: string) => string,
  signal: AbortSignal | undefined,
): Promise<ProjectionVersions> {
  try {
    return (await write(server, [], { projections, signal })).projections;
  } catch (error) {
    if (error instanceof Refused) {
      const named = error.message.replace(
        /^projections\.(create|replace)\[(\d+)\]/,
        (_, list, item) => nameOf(projections[list as "create"]![Number(item)]!.id),
      );
      error.message = `projector "${projector}": ${named}`;
    }
    throw error;
  }
}
