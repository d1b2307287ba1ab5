import { getRoute, type Route } from "../../http/router.ts";
import type { EditionHost } from "../edition.ts";
import { NOT_CACHED } from "./headers.ts";

/** A place for the value of a setting, such as `"{maxEventSize}"`. */
const MARK = /"\{(\w+)(?:\|\d+)?\}"/g;

/**
 * `GET /openapi.json`: the OpenAPI document of the edition, with the limits of this server.
 * @param marked the document with marks in place of limits
 */
export function openapiRoute({ settings }: EditionHost, marked: string): Route {
  const limits = new Map<string, unknown>(Object.entries(settings));
  const headers = { "Content-Type": "application/json", ...NOT_CACHED };
  return getRoute("none", "/openapi.json", () => {
    const body = marked.replaceAll(MARK, (_, name: string) => String(limits.get(name)));
    return { status: 200, headers, body };
  });
}
