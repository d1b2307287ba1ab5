import type { Tag } from "../filter/tag.ts";

/** An event as the store sends it. */
export interface StoredEvent {
  readonly sequence: number;
  /** Such as 2026-11-22T13:08:51.477542Z. */
  readonly time: string;
  readonly type: string;
  readonly identifiers: Readonly<Record<string, string | readonly string[]>>;
  readonly metadata: Readonly<Record<string, string | readonly string[]>>;
  readonly payload: string;
  /** The names of the subjects whose keys are gone, and with them the payload. */
  readonly forgotten?: readonly string[];
}

/** The text in place of a payload that was forgotten, or undefined for any other payload. */
export function forgottenText({ forgotten }: Pick<StoredEvent, "forgotten">): string | undefined {
  return forgotten === undefined ? undefined : `forgotten: ${forgotten.join(", ")}`;
}

/** The tags of an event, one for each value, identifiers first. */
export function tagsOf(event: Pick<StoredEvent, "identifiers" | "metadata">): Tag[] {
  const tags: Tag[] = [];
  for (const kind of ["identifiers", "metadata"] as const) {
    for (const [name, values] of Object.entries(event[kind])) {
      for (const value of typeof values === "string" ? [values] : values) tags.push({ kind, name, value });
    }
  }
  return tags;
}

/** Milliseconds since 1970. */
export function timeOf({ time }: Pick<StoredEvent, "time">): number {
  return Date.parse(time);
}
