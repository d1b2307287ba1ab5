export type TagObject = Readonly<Record<string, string | readonly string[]>>;

/** An event as a client sends it, in the form in which it is read back: names in byte order, no array of one. */
export interface WireEvent {
  readonly type: string;
  readonly identifiers: TagObject;
  readonly metadata: TagObject;
  readonly payload: string;
}

export interface FoundEvent extends WireEvent {
  readonly sequence: number;
  readonly time: string;
}

/** The metadata entry that names the act which wrote an event. */
export const ACT_TAG = "act";

export function actOf(event: WireEvent): number {
  return Number(event.metadata[ACT_TAG]);
}

/** The fields that the client sent, as one text. */
export function sentText({ type, identifiers, metadata, payload }: WireEvent): string {
  return JSON.stringify({ type, identifiers, metadata, payload });
}
