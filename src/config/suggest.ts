/** Returns the candidate that was most likely meant by `name`, if one is close enough. */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  // Up to two wrong letters (two swapped, say) or a third of them is a slip. With more it is another word.
  // A word of which every letter is wrong is another word, too.
  const wanted = name.toLowerCase();
  let nearest = Math.min(wanted.length, Math.max(2, Math.floor(wanted.length / 3)) + 1);
  let found: string | undefined;
  for (const candidate of candidates) {
    const lower = candidate.toLowerCase();
    // The distance is at least the difference of the lengths. This skips long texts, whose distance takes long.
    if (Math.abs(lower.length - wanted.length) >= nearest) continue;
    const distance = editDistance(wanted, lower);
    if (distance >= nearest) continue;
    nearest = distance;
    found = candidate;
  }
  return found;
}

/** Shorter words are in too many names. */
const PART_LENGTH_MIN = 3;

/**
 * Returns the name in a store that was most likely meant by a word: one with a slip, else the first that begins with
 * the word, else the first that contains it.
 */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const slip = suggest(word, names);
  if (slip !== undefined || word.length < PART_LENGTH_MIN) return slip;
  const wanted = word.toLowerCase();
  return names.find((name) => name.toLowerCase().startsWith(wanted)) ??
    names.find((name) => name.toLowerCase().includes(wanted));
}

/** Returns the end of a message about an unknown name: the suggestion, if there is one, as `show` writes it. */
export function didYouMean(found: string | undefined, show: (found: string) => string = String): string {
  return found === undefined ? "" : `, did you mean ${show(found)}?`;
}

/** Returns the number of letters to insert, drop or replace to turn one word into the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const exchange = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(exchange, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
