import type { Tag } from "../../../model/tag.ts";
import { formatTimestamp } from "../../../model/timestamp.ts";
import { sealedBody, type SealedPayload, splitBody, subjectsOf } from "../../../wire/sealed_event.ts";
import type { PreparedEvent } from "../prepare_event.ts";
import { decrypt, encrypt, payloadKey } from "./payload_cipher.ts";
import type { SubjectKey } from "./subject_key.ts";

/**
 * Encrypts the payload of an event that has subjects. Other events stay as they are.
 * @param names the names of identifiers that stand for a person
 * @param keyOf returns the present key of a subject
 */
export function sealEvent(
  event: PreparedEvent,
  names: ReadonlySet<string>,
  keyOf: (subject: Tag) => SubjectKey,
): PreparedEvent {
  return sealFor(event, subjectsOf(event.body, names), keyOf);
}

/** Does the same for an event whose subjects are known. */
export function sealFor<Subject extends Tag>(
  event: PreparedEvent,
  subjects: readonly Subject[],
  keyOf: (subject: Subject) => SubjectKey,
): PreparedEvent {
  if (subjects.length === 0) return event;
  const keys = subjects.map((subject) => keyOf(subject));
  const { tags, payload } = splitBody(event.body);
  const data = encrypt(
    payloadKey(keys.map(({ bytes }) => bytes)),
    payload,
    sealedAbout(event.timeMicros, tags),
  );
  const body = sealedBody(tags, { keys: subjects.map(({ name }, i) => [name, keys[i]!.id]), data });
  return { ...event, body };
}

/**
 * Decrypts the payload of an event.
 * @param keys those that `sealed` names, in its order
 * @returns its JSON text
 * @throws Error when a bit of it, of the event's time or tags, or of a key was changed
 */
export function openEvent(
  { timeMicros, body }: Pick<PreparedEvent, "timeMicros" | "body">,
  { data }: SealedPayload,
  keys: readonly Uint8Array[],
): string {
  const about = encoder.encode(sealedAbout(timeMicros, splitBody(body).tags));
  return decoder.decode(decrypt(payloadKey(keys), data, about));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns what an encrypted payload is bound to: the line of its event from the time to the payload. */
function sealedAbout(timeMicros: number, tags: string): string {
  return `"time":"${formatTimestamp(timeMicros)}",${tags}`;
}
