import type { ServerSettings } from "../../../config/load.ts";

/**
 * The decoders of an edition, by the name of the body: each turns the JSON value into the input of the handler. For
 * large bodies they run in a worker, so they may not depend on anything else.
 */
export type Decoders = Readonly<Record<string, (body: unknown, limits: ServerSettings) => unknown>>;
