import type { AwaitedRead } from "../../../store/feed/awaited_pages.ts";
import { filterTerms } from "../../../store/feed/filter_terms.ts";
import type { CommittedRead } from "../../../wire/read_request.ts";

/** A decoded `QUERY /events`, with or without a wait. */
export type DecodedRead = CommittedRead | AwaitedRead;

/** Prepares a read that waits. With a large query that takes long, so it runs where the body is decoded. */
export function prepareRead(
  read: CommittedRead,
  { maxTagsPerEvent }: { readonly maxTagsPerEvent: number },
): DecodedRead {
  const { waitSeconds = 0 } = read;
  return waitSeconds === 0 ? read : { ...read, waitSeconds, terms: filterTerms(read.query, maxTagsPerEvent) };
}

export function isAwaited(read: DecodedRead): read is AwaitedRead {
  return "terms" in read;
}
