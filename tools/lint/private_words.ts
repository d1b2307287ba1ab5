/*
 * Words that comments and pages must not use, because the actor or the term of the field is plainer. The words of the
 * specification are not among them.
 */

/** A private word, and what to say instead. */
export interface PrivateWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

const word = (pattern: string, instead: string): PrivateWord => ({
  pattern: new RegExp(`(?<![\\w.\`-])(?:${pattern})(?![\\w\`-])`, "i"),
  instead,
});

export const PRIVATE_WORDS: readonly PrivateWord[] = [
  word("nobody|somebody|anybody|everybody|whoever", "the actor: client, reader, server, you"),
  word("refus(?:e|es|ed|ing|al|als)", "reject, rejection"),
  word("arrivals", "commit notifications"),
  word("lookouts?", "subscription"),
  word("signs? of life", "heartbeat"),
  word("(?:tells?|told|telling)", "notify, report, emit, say"),
  word("rooms?", "module; capacity, quota, space"),
  word("news", "remote commits"),
  word("beside", "next to, in parallel with, besides"),
  word("costly", "over budget, expensive"),
  word("(?:take|takes|taken|put|puts|give|gives|given) back", "cancel, requeue, release"),
  word("(?:stand|stands|standing) back", "lower the thread priority"),
  word("patient|patience|patiently", "grace period, timeout"),
  word("companions?", "peer monitor; local server"),
  word("(?:find|finds|finding|found) out", "determine, discover"),
  word("at rest", "idle"),
  word("seldom", "rate-limited, rarely"),
  word("witness(?:es)?|judges?|judged|judging", "history; checker, check"),
  word("yardsticks?", "baseline"),
  word("hears? of|heard of", "is notified, learns"),
  word("(?:go|goes|going|went) on", "continue"),
];

/** Matches beginnings that comments must avoid: a comment names the thing, and says what it does. */
export const PRIVATE_OPENING = /^(?:What|Whether|Of (?:an?|the)|Who|Whose)\b/;

/** The private words of a text, each with what to say instead. */
export function privateWordsIn(text: string): string[] {
  return PRIVATE_WORDS.flatMap(({ pattern, instead }) => {
    const [found] = pattern.exec(text) ?? [];
    return found === undefined ? [] : [`"${found}": say ${instead}`];
  });
}
