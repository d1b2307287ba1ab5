import { jsonReply } from "../../http/replies.ts";
import { getRoute, type Route } from "../../http/router.ts";
import type { Right } from "../../model/access.ts";
import type { StoreView } from "../../view/store_view.ts";
import type { StoredSubject, SubjectsPart } from "../../store/api/store.ts";
import { EMPTY_WRITE } from "../../store/api/write.ts";
import { StoreChanged } from "../../store/core/open_page.ts";
import { assertUsable } from "../../store/core/sealing/stored_subject.ts";
import { prepareEvent } from "../../store/core/prepare_event.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { nowMicros } from "../../time/clock.ts";
import { decodeForgetRequest } from "../../wire/forget_request.ts";
import { parseJson } from "../../wire/json.ts";
import { decodeStoredRead } from "../../wire/read_request.ts";
import { Admission } from "../../write_queue/admission.ts";
import type { EditionHost } from "../edition.ts";
import { authoredEvents } from "./authorship.ts";
import { throwIfRejected } from "./conflicts.ts";
import { HEAD_HEADER, STORE_HEADER } from "./headers.ts";
import { pageHeaders, pageReply } from "./read_events.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/**
 * The routes of a store with subjects: identifiers that stand for a person.
 * @param assertNotPaused throws while no events may be appended
 */
export function subjectRoutes(host: EditionHost, reads: ReadsInFlight, assertNotPaused: () => void): Route[] {
  return [
    forgetRoute(host, assertNotPaused),
    subjectEventsRoute(host, reads),
    storedEventsRoute(host, reads),
    subjectsRoute(host, "copy", "/subjects", idLine),
    subjectsRoute(host, "keys", "/subjects/keys", keyLine),
    subjectsRoute(host, "copy", "/subjects/forgotten", forgottenLine),
  ];
}

/** `POST /forget`: destroys the keys of a subject, and appends the events that come with the request. */
function forgetRoute({ views, settings }: EditionHost, assertNotPaused: () => void): Route {
  return {
    method: "POST",
    path: "/forget",
    right: "forget",
    body: "handled",
    async handle(request) {
      const body = await request.body();
      const bytes = body.length;
      const { subject, events: wanted } = decodeForgetRequest(parseJson(body), settings);
      const timeMicros = nowMicros();
      const prepared = wanted.map((event) => prepareEvent(event, timeMicros));
      const events = authoredEvents(prepared, settings, request.access).map((event) => ({
        timeMicros,
        ...event,
      }));
      const write = { ...EMPTY_WRITE, events, forget: subject };
      const admission = new Admission("forget", request.disconnected, bytes);
      const outcome = await views.of(request.access).forget(admission, write, assertNotPaused);
      const { storeId, firstSequence, hadKey } = throwIfRejected(outcome, () => undefined);
      const time = formatTimestamp(timeMicros);
      const written = events.map((_, i) => ({ sequence: firstSequence + i, time }));
      return jsonReply(200, { forgotten: hadKey ? "now" : "before", events: written }, {
        [STORE_HEADER]: storeId,
      });
    },
  };
}

/** `GET /subjects/{name}/{value}`: all events of a subject, readable, as far as it was not forgotten. */
function subjectEventsRoute({ views }: EditionHost, reads: ReadsInFlight): Route {
  return getRoute("read", "/subjects/:name/:value", async (request) => {
    const [name, value] = request.segments;
    const query = [{ types: [], identifiers: [{ name: name!, value: value! }], metadata: [] }];
    using held = new DisposableStack();
    const read = held.use(reads.begin("events"));
    const wanted = { query, afterSequence: 0, limit: Infinity };
    const page = await views.of(request.access).page(wanted, request);
    read.handedOut = page.handedOut;
    return pageReply(page, held.move());
  });
}

/** `QUERY /events/stored`: a page of events as they are stored, for backups and proofs. */
function storedEventsRoute({ views, settings }: EditionHost, reads: ReadsInFlight): Route {
  return {
    method: "QUERY",
    path: "/events/stored",
    right: "copy",
    body: "handled",
    async handle(request) {
      const wanted = decodeStoredRead(parseJson(await request.body()), settings);
      using held = new DisposableStack();
      const read = held.use(reads.begin("events"));
      const page = await views.of(request.access).page(wanted, request);
      read.handedOut = page.handedOut;
      const headers = { ...pageHeaders(page.storeId), [HEAD_HEADER]: String(page.head) };
      return pageReply(page, held.move(), headers);
    },
  };
}

/** `GET /subjects`, `GET /subjects/keys` and `GET /subjects/forgotten`: a line for each key, and the trailer `hasMore`. */
function subjectsRoute(
  { views }: EditionHost,
  right: Right,
  path: string,
  lineOf: LineOf,
): Route {
  return getRoute(right, path, async ({ access }) => {
    const view = views.of(access);
    const first = await view.subjects(0);
    // Before the answer begins: a damaged key among the first ones is an error with a status.
    const begun = textOf(first, lineOf);
    return {
      status: 200,
      headers: pageHeaders(first.storeId),
      body: subjectLines(view, first, begun, lineOf),
    };
  });
}

type LineOf = (stored: StoredSubject) => string | undefined;

async function* subjectLines(
  view: StoreView,
  first: SubjectsPart,
  begun: string,
  lineOf: LineOf,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let text = begun;
  for (let part = first; part.subjects.length > 0; text = textOf(part, lineOf)) {
    if (text !== "") yield encoder.encode(text);
    part = await view.subjects(part.lastRow);
    if (part.storeId !== first.storeId) throw new StoreChanged("the store was reset while it was read");
  }
  yield encoder.encode('{"hasMore":false}\n');
}

function textOf({ subjects }: SubjectsPart, lineOf: LineOf): string {
  const lines = subjects.flatMap((stored) => lineOf(stored) ?? []);
  return lines.map((line) => `${line}\n`).join("");
}

const encoder = new TextEncoder();

/** Names the subject of a key, which suffices to compare it with events, and to read no payload. */
function idLine({ id, subject, forgottenMicros, isDamaged }: StoredSubject): string {
  const forgotten = forgottenMicros === undefined ? {} : { forgotten: formatTimestamp(forgottenMicros) };
  return JSON.stringify({ id, ...subject, ...forgotten, ...isDamaged ? { damaged: true } : {} });
}

function keyLine(stored: StoredSubject): string | undefined {
  assertUsable(stored);
  const { id, subject, key } = stored;
  return key && JSON.stringify({ id, ...subject, key: key.toBase64() });
}

function forgottenLine(stored: StoredSubject): string | undefined {
  const { id, subject, forgottenMicros } = stored;
  if (forgottenMicros === undefined) return undefined;
  assertUsable(stored);
  return JSON.stringify({ id, ...subject, forgotten: formatTimestamp(forgottenMicros) });
}
