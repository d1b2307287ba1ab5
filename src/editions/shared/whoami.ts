import { jsonReply } from "../../http/replies.ts";
import { getRoute, type Route } from "../../http/router.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { EditionHost } from "../edition.ts";
import { NOT_CACHED } from "./headers.ts";

/**
 * `GET /whoami`: the edition, the identifiers that stand for a person, and the name of the token that the request has,
 * what it may do, where, and until when.
 */
export function whoamiRoute({ settings: { edition, subjects } }: EditionHost): Route {
  const persons = subjects.length === 0 ? {} : { subjects };
  return getRoute("none", "/whoami", ({ access: { name = null, rights, within, expires } }) => {
    const until = expires === undefined ? {} : { expires: formatTimestamp(expires * 1000) };
    const part = within === undefined ? {} : {
      within: Object.fromEntries(within.identifiers.map((tag) => [tag.name, tag.value])),
    };
    return jsonReply(200, { edition, name, may: [...rights], ...part, ...until, ...persons }, NOT_CACHED);
  });
}
