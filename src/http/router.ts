import type { LogLevel } from "../log/log.ts";
import type { Access, Right } from "../model/access.ts";
import type { HttpRequest, Reply } from "./exchange.ts";
import { decodePath } from "./target.ts";

export interface RoutedRequest extends Pick<HttpRequest, "header" | "disconnected" | "releaseBody"> {
  /** The decoded segments matched by each `:name` in the route's path, in order. */
  readonly segments: readonly string[];
  /** The query string without its `?`, "" when there is none. A few routes use it. */
  readonly query: string;
  readonly access: Access;
  /** Reads the body, up to the edition's limit. */
  body(): Promise<Uint8Array<ArrayBuffer>>;
  /** Reads the body up to the same limit, and drops it. */
  discardBody(): Promise<void>;
}

export interface Route {
  readonly method: "GET" | "POST" | "QUERY" | "DELETE";
  /** Segments separated by slashes, compared as sent; `:name` stands for any one segment, percent-decoded. */
  readonly path: string;
  /** The right that a token needs. "none": any valid token will do. */
  readonly right: Right | "none";
  /**
   * How the body is read: `handled` by the handler, `ignored` (read and dropped before the handler runs), or `unread`
   * when the reply must not depend on it.
   */
  readonly body: "handled" | "ignored" | "unread";
  /** Level of a success in the access log; `debug` when not given. */
  readonly level?: LogLevel;
  readonly handle: (request: RoutedRequest) => Promise<Reply> | Reply;
}

/** A route for method `GET`, which ignores the body. */
export function getRoute(right: Route["right"], path: string, handle: Route["handle"]): Route {
  return { method: "GET", path, right, body: "ignored", handle };
}

export type Routing =
  | { readonly kind: "found"; readonly route: Route; readonly segments: readonly string[] }
  | { readonly kind: "wrongMethod"; readonly allow: string }
  | { readonly kind: "unknownPath" };

/** Finds the route of a request by its method and its path as the client sent it. @throws as `decodePath` */
export type Router = (method: string, path: string) => Routing;

interface Pattern {
  readonly route: Route;
  readonly segments: readonly string[];
}

/** Makes the router. `HEAD` uses the routes of `GET`. */
export function makeRouter(routes: readonly Route[]): Router {
  const patterns = routes.map((route): Pattern => ({ route, segments: route.path.slice(1).split("/") }));
  // Most requests have a path without parameters, spelled exactly as in the route.
  const known = new Map<string, Routing>();
  for (const { method, path } of routes) {
    if (!path.includes(":")) known.set(`${method} ${path}`, route(patterns, method, path));
  }
  return (method, path) => known.get(`${method} ${path}`) ?? route(patterns, method, path);
}

function route(patterns: readonly Pattern[], method: string, rawPath: string): Routing {
  const decoded = decodePath(rawPath);
  if (decoded === undefined) return { kind: "unknownPath" };
  // The literal parts of a route are compared as sent, so that a proxy's rules on raw paths also hold here.
  const sent = rawPath.slice(1).split("/");
  const fitting = patterns.filter(({ segments }) => fits(segments, sent));
  if (fitting.length === 0) return { kind: "unknownPath" };
  const wanted = method === "HEAD" ? "GET" : method;
  const match = fitting.find(({ route }) => route.method === wanted);
  if (match === undefined) return { kind: "wrongMethod", allow: allowed(fitting.map(({ route }) => route)) };
  const segments = decoded.filter((_, i) => isParameter(match.segments[i]!));
  return { kind: "found", route: match.route, segments };
}

function fits(pattern: readonly string[], sent: readonly string[]): boolean {
  return pattern.length === sent.length &&
    pattern.every((part, i) => isParameter(part) ? sent[i] !== "" : part === sent[i]);
}

function isParameter(part: string): boolean {
  return part.startsWith(":");
}

function allowed(routes: readonly Route[]): string {
  return routes.flatMap(({ method }) => method === "GET" ? ["GET", "HEAD"] : [method]).join(", ");
}
