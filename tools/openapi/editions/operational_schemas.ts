import { RIGHTS } from "../../../src/model/access.ts";
import {
  answer,
  COUNT,
  described,
  list,
  NUMBER,
  oneWord,
  orNull,
  ref,
  type Schema,
  TEXT,
} from "../schema.ts";
import { CONFLICT_SCHEMAS } from "./conflicts.ts";
import { SUBJECT_SCHEMAS } from "./subject_operations.ts";

/** The schemas of the operations for operators that all editions share. @param kinds the kinds of waiting writes */
export function operationalSchemas(kinds: readonly string[]): Record<string, Schema> {
  return {
    TurnKind: oneWord(...kinds),
    ...CONFLICT_SCHEMAS,
    ...SUBJECT_SCHEMAS,
    Whoami: answer({
      edition: oneWord("A", "B", "C"),
      name: described(
        "The name of the token; `null` for `authToken`, or where no token is required.",
        orNull(TEXT),
      ),
      may: list(oneWord(...RIGHTS)),
      within: described(
        "The identifiers of all events that the token sees, if it does not see every event.",
        { type: "object", additionalProperties: TEXT },
      ),
      expires: described("When the token expires, if it does.", ref("Time")),
      subjects: described(
        "The names of the identifiers that stand for a person, if the setting `subjects` has some.",
        list(TEXT),
      ),
    }, ["within", "expires", "subjects"]),
    WaitingRequest: answer({ kind: ref("TurnKind"), queuedAt: ref("Time"), waitSeconds: NUMBER }),
    ReadsInFlight: described(
      "Open reads, those of them that wait for an event, and the readers that they use.",
      answer({ httpOpen: COUNT, waiting: COUNT, sqliteInUse: COUNT, sqliteMax: COUNT }),
    ),
  };
}

/** `write` of `GET /debug`. @param active the schema of the turn's holder */
export function turns(active: Schema): Schema {
  return answer({
    active: orNull(active),
    queued: list(ref("WaitingRequest")),
    httpOpen: COUNT,
    sqliteInUse: COUNT,
    sqliteMax: COUNT,
  });
}

/** The holder of the turn, in editions where each request has a turn of its own. */
export const ONE_TURN: Schema = answer({ kind: ref("TurnKind"), since: ref("Time"), ageSeconds: NUMBER });

/** The body of `GET /health`; `paused` where the edition has a pause. */
export function health(hasPause: boolean): Schema {
  return answer({
    status: oneWord("ok"),
    ...(hasPause ? { paused: { type: "boolean" } } : {}),
    version: described("Not given to a request without a token (`openHealth`).", TEXT),
    writes: described(
      "Given while writes fail through no fault of a client, with the reason.",
      oneWord("failing"),
    ),
    reason: TEXT,
    since: ref("Time"),
  }, ["writes", "reason", "since", "version", ...hasPause ? ["paused"] : []]);
}
