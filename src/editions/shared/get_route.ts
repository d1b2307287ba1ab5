import type { Route } from "../../http/router.ts";

/** A route of method `GET`, which takes no body. */
export function getRoute(path: string, handle: Route["handle"]): Route {
  return { method: "GET", path, body: "ignored", handle };
}
