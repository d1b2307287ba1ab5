import type { Axis, Bar } from "./axis.ts";
import type { TimeSearch } from "./time_search.ts";

/** The error, as a share of the drawing's height, up to which a bar does not count as an estimate. */
const ERROR_SHARE = 1 / 12;

/**
 * Counts all events in each bar. The number of events between two sequences is known without reading them, so only
 * the sequences at the edges of the bars are searched. The least certain edge comes first.
 * @param first the first sequence that counts
 * @param end the sequence after the last one that counts
 * @param readsMax the remaining edges are estimated after reads of so many single events
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
