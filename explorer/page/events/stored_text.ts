import type { StoredEvent } from "../store/stored_event.ts";

/**
 * Says if the payload of an event is encrypted in the store, and why not.
 * @param line the event as it is stored
 * @param subjects the names of identifiers that stand for a person
 */
export function storedText(
  line: string,
  { identifiers, forgotten = [] }: Pick<StoredEvent, "identifiers" | "forgotten">,
  subjects: readonly string[],
): string {
  const { sealed } = JSON.parse(line) as {
    readonly sealed?: { readonly keys: readonly (readonly [string, string])[] };
  };
  if (sealed !== undefined) {
    const keys = sealed.keys.map(([name, id]) => `${name} (key ${id})`).join(" and ");
    const gone = forgotten.length === 0 ? "" : ` The key of ${forgotten.join(" and of ")} was destroyed.`;
    return `The payload is encrypted for ${keys}.${gone}`;
  }
  const named = subjects.filter((name) => Object.hasOwn(identifiers, name));
  if (named.length > 0) {
    const before = `it was written before the server had ${named.join(" and ")} as a subject`;
    return `The payload is not encrypted: ${before}. Forgetting does not reach it.`;
  }
  return `The payload is not encrypted: the event has no subject (${subjects.join(", ")}).`;
}
