import type { Tag } from "./tag.ts";
import { utf8BytesOver } from "./utf8.ts";

/** An event as a client sends it: the server adds `sequence` and `time`. */
export interface NewEvent {
  readonly type: string;
  readonly identifiers: readonly Tag[];
  readonly metadata: readonly Tag[];
  readonly payload: string;
}

/**
 * Returns the size of an event in bytes when it is over `bytesMax`, else 0. It counts the UTF-8 bytes of type,
 * payload, and the name and value of each tag.
 */
export function eventBytesOver(bytesMax: number, event: NewEvent): number {
  const texts = [event.type, event.payload];
  for (const tag of event.identifiers) texts.push(tag.name, tag.value);
  for (const tag of event.metadata) texts.push(tag.name, tag.value);
  return utf8BytesOver(bytesMax, texts);
}
