import { isStoreId } from "../directory/backup_files.ts";
import { splitLines } from "../history/lines.ts";
import { errorText, oneLine } from "./answer_text.ts";
import type { Answer } from "./http_client.ts";

/** Complete lines of a page, as they are received. */
export interface PagePart {
  readonly storeId: string;
  /** Lines of events or of subjects, with their line feeds. They stay unchanged until the next part is requested. */
  readonly lines: readonly Uint8Array[];
  /** Set on the last part only, when the trailer has been received and the response is complete. */
  readonly hasMore?: boolean;
}

/**
 * Returns the lines of a page before its trailer.
 * @throws Error when the response is no page, has too many lines, or was cut short
 */
export async function* pageParts(answer: Answer, limit: number): AsyncGenerator<PagePart, void> {
  if (answer.status !== 200) throw new Error(await errorText(answer));
  const storeId = answer.headers.get("x-service-store");
  if (storeId === undefined) {
    throw new Error("its response has no X-Service-Store, so it is not an event store");
  }
  if (!isStoreId(storeId)) {
    throw new Error(`it reports the store ID ${JSON.stringify(oneLine(storeId))}`);
  }
  let hasMore: boolean | undefined;
  let count = 0;
  for await (const lines of splitLines(answer.body)) {
    if (hasMore !== undefined) throw new Error("its page continues after the trailer");
    hasMore = trailerOf(lines.at(-1)!);
    const events = hasMore === undefined ? lines : lines.slice(0, -1);
    count += events.length;
    if (count > limit) throw new Error(`its page has more than the ${limit} events that were asked for`);
    if (events.length > 0) yield { storeId, lines: events };
  }
  if (hasMore === undefined) throw new Error("its page has no trailer, so it was cut short");
  if (hasMore && count === 0) throw new Error("its page has no events, but says that there are more");
  yield { storeId, lines: [], hasMore };
}

const TRAILER_BYTES_MAX = 64;

/** Returns `hasMore` of the trailer, or undefined for any other line. */
function trailerOf(line: Uint8Array): boolean | undefined {
  if (line.length > TRAILER_BYTES_MAX) return undefined;
  const text = new TextDecoder().decode(line);
  const hasMore = /^\s*\{\s*"hasMore"\s*:\s*(true|false)\s*\}\s*$/.exec(text)?.[1];
  return hasMore === undefined ? undefined : hasMore === "true";
}
