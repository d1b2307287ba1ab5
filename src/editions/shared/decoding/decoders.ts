import type { ServerSettings } from "../../../config/load.ts";

/**
 * What an edition makes of its request bodies, by the name of the body: the JSON value comes in, and what the
 * handler works with goes out. They run in a worker when the body is large, so they depend on nothing else.
 */
export type Decoders = Readonly<Record<string, (body: unknown, limits: ServerSettings) => unknown>>;
