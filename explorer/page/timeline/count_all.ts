import type { Axis, Bar } from "./axis.ts";
import type { TimeSearch } from "./time_search.ts";

/** Of the height of the drawing, by which a bar may be off without being called an estimate. */
const ERROR_SHARE = 1 / 12;

/**
 * How many events came when, whatever they are: what lies between two sequences is known without reading it, so
 * only the sequences at the edges of the bars are looked for, first those of which the least is known.
 * @param first the first sequence that counts
 * @param end the sequence after the last one that counts
 * @param readsMax what is not found with so many single events is estimated
 */
export async function countAll(
  search: TimeSearch,
  { from, width, bars }: Axis,
  first: number,
  end: number,
  readsMax: number,
): Promise<Bar[]> {
  const { known } = search;
  const head = end - 1;
  const times = Array.from({ length: bars - 1 }, (_, i) => from + (i + 1) * width);
  const edges = (): { sequence: number; error: number }[] => [
    { sequence: first, error: 0 },
    ...times.map((time) => {
      const { sequence, error } = known.near(time, head);
      return { sequence: Math.min(end, Math.max(first, sequence)), error };
    }),
    { sequence: end, error: 0 },
  ];
  const errorMax = (): number => Math.floor(ERROR_SHARE * Math.max(...countsOf(edges())));
  for (let reads = 0; reads < readsMax; reads++) {
    const errors = edges().map(({ error }) => error);
    const worst = errors.indexOf(Math.max(...errors));
    if (errors[worst]! <= errorMax()) break;
    await search.lookNear(times[worst - 1]!, head, reads);
  }
  const found = edges();
  const most = errorMax();
  return countsOf(found).map((count, i) => ({
    from: from + i * width,
    before: from + (i + 1) * width,
    count,
    isEstimated: found[i]!.error > most || found[i + 1]!.error > most,
  }));
}

function countsOf(edges: readonly { readonly sequence: number }[]): number[] {
  let begin = edges[0]!.sequence;
  return edges.slice(1).map(({ sequence }) => {
    const next = Math.max(begin, sequence);
    const count = next - begin;
    begin = next;
    return count;
  });
}
