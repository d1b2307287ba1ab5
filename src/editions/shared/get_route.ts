import type { Route } from "../../http/router.ts";

/** A route for method `GET`, which ignores the body. */
export function getRoute(path: string, handle: Route["handle"]): Route {
  return { method: "GET", path, body: "ignored", handle };
}
