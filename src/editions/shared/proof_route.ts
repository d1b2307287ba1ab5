import { jsonReply } from "../../http/replies.ts";
import { getRoute, type Route } from "../../http/router.ts";
import { invalid, quoted } from "../../wire/invalid.ts";
import type { EditionHost } from "../edition.ts";
import { HEAD_HEADER, NOT_CACHED, STORE_HEADER } from "./headers.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/** The parameters, and the smallest value of each. */
const PARAMETERS: ReadonlyMap<string, number> = new Map([["head", 0], ["sequence", 1], ["from", 0]]);

/**
 * `GET /proof?head=`: the root of the tree over all events up to a head. With `sequence`, it proves that the root
 * covers this event, with `from`, that the events up to there are still the same.
 */
export function proofRoute({ views }: EditionHost, reads: ReadsInFlight): Route {
  return getRoute("read", "/proof", async ({ access, query }) => {
    const view = views.of(access);
    const { head, ...subject } = decodeParameters(query);
    using _read = reads.begin("events");
    const document = await view.proof(subject, head);
    const headers = { [STORE_HEADER]: document.storeId, [HEAD_HEADER]: String(document.head), ...NOT_CACHED };
    return jsonReply(200, document, headers);
  });
}

interface Parameters {
  head?: number;
  sequence?: number;
  from?: number;
}

function decodeParameters(query: string): Parameters {
  const parameters: Record<string, number> = {};
  for (const [name, text] of new URLSearchParams(query)) {
    const min = PARAMETERS.get(name);
    if (min === undefined) throw invalid("", `unknown parameter ${quoted(name)}`);
    if (name in parameters) throw invalid("", `${name} is given twice`);
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!Number.isSafeInteger(value) || value < min) {
      throw invalid("", `${name} must be a whole number from ${min}, not ${quoted(text)}`);
    }
    parameters[name] = value;
  }
  if ("sequence" in parameters && "from" in parameters) {
    throw invalid("", "sequence and from exclude each other: one request, one proof");
  }
  return parameters;
}
