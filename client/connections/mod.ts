/**
 * Connections to the server that are kept, for programs that call it often.
 *
 * @module
 */

export { Connections, type ConnectionsOptions } from "./connections.ts";
