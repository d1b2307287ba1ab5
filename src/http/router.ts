import type { LogLevel } from "../model/errors.ts";
import type { Reply } from "./exchange.ts";

/** A request on its way through a route. */
export interface Call {
  /** The decoded segments that stand where the route's path has a `:name`, in order. */
  readonly segments: readonly string[];
  /** The query string without its `?`, "" when there is none. Only profiling looks at it. */
  readonly query: string;
  /** A header field's value by lower-case name; several fields of one name are joined by ", ". */
  header(name: string): string | undefined;
  /** Reads the body, within the cap of the edition. */
  body(): Promise<Uint8Array<ArrayBuffer>>;
  /** Aborts when the client leaves before it has the reply. */
  readonly left: AbortSignal;
}

export interface Route {
  readonly method: "GET" | "POST" | "QUERY" | "DELETE";
  /** Segments separated by slashes; `:name` stands for any one segment. */
  readonly path: string;
  /** Whether the handler reads the body; otherwise it is read and ignored before the handler runs. */
  readonly readsBody: boolean;
  /** Level of a success in the access log; `debug` when not given. */
  readonly level?: LogLevel;
  readonly handle: (call: Call) => Promise<Reply> | Reply;
}

/** What the routes say about a method and a path. */
export type Routing =
  | { readonly kind: "found"; readonly route: Route; readonly segments: readonly string[] }
  | { readonly kind: "wrongMethod"; readonly allow: string }
  | { readonly kind: "unknownPath" };

/** Finds the route of a request. `HEAD` goes wherever `GET` does. */
export function makeRouter(routes: readonly Route[]): (method: string, path: readonly string[]) => Routing {
  const patterns = routes.map((route) => ({ route, pattern: route.path.slice(1).split("/") }));
  return (method, path) => {
    const known = patterns.filter(({ pattern }) => fits(pattern, path));
    if (known.length === 0) return { kind: "unknownPath" };
    const wanted = method === "HEAD" ? "GET" : method;
    const match = known.find(({ route }) => route.method === wanted);
    if (match === undefined) return { kind: "wrongMethod", allow: allowed(known.map(({ route }) => route)) };
    const segments = path.filter((_, i) => isParameter(match.pattern[i]!));
    return { kind: "found", route: match.route, segments };
  };
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length &&
    pattern.every((part, i) => isParameter(part) ? path[i] !== "" : part === path[i]);
}

function isParameter(part: string): boolean {
  return part.startsWith(":");
}

function allowed(routes: readonly Route[]): string {
  return routes.flatMap(({ method }) => method === "GET" ? ["GET", "HEAD"] : [method]).join(", ");
}
