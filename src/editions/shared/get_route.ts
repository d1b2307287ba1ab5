import type { Route } from "../../http/router.ts";

/** A route of method `GET` whose handler takes no body. */
export function getRoute(path: string, handle: Route["handle"]): Route {
  return { method: "GET", path, readsBody: false, handle };
}
