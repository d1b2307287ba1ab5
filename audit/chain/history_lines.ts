import type { Operation, WriteCondition, WriteOperation } from "../linearizability/operations.ts";
import type { Tag } from "../../src/model/tag.ts";
import type { Evidence } from "./evidence.ts";
import { MARK, microseconds, type SeenEvent, type SeenPage } from "./observed.ts";

/*
 * Writes the history for the checker of linearizability, one operation a line (audit/linearizability). There an event
 * has tags: its identifiers, and its metadata without the mark. The mark becomes its label.
 */

/** Longer pages show nothing that shorter ones do not. */
const EVENTS_OF_A_READ_MAX = 100;

interface WireItem {
  readonly identifiers?: readonly Tag[];
  readonly metadata?: readonly Tag[];
}

interface WireWrite {
  readonly conditions: readonly {
    readonly failIfEventsMatch: readonly WireItem[];
    readonly afterSequence?: number;
    readonly store?: string;
  }[];
  readonly events: readonly {
    readonly identifiers: Readonly<Record<string, string>>;
    readonly metadata: Readonly<Record<string, string>>;
  }[];
}

interface Answer {
  readonly status: number;
  readonly storeId: string;
  /** Undefined when the server's own answer was not received. */
  readonly answer: string | undefined;
}

/** Writes the lines of one chain to a file. */
export class HistoryLines implements Disposable {
  readonly path: string;
  readonly #file: Deno.FsFile;
  readonly #encoder = new TextEncoder();
  /** True when replicas are read, so that a page may show an earlier state. */
  readonly #mayLag: boolean;
  /** The writes of this round whose answer says that they were not executed. */
  #rejected: WriteOperation[] = [];
  /** For each store: when the last page of it was received. */
  readonly #lastPages = new Map<string, number>();

  constructor(path: string, mayLag: boolean) {
    this.path = path;
    this.#mayLag = mayLag;
    this.#file = Deno.openSync(path, { write: true, create: true, truncate: true });
  }

  write(client: number, call: number, body: string, answer: Answer): void {
    const { conditions, events } = JSON.parse(body) as WireWrite;
    if (events.length === 0) return;
    const input = {
      conditions: conditions.flatMap(conditionsOf),
      events: events.map(({ identifiers, metadata: { [MARK]: label = "", ...metadata } }) => ({
        label,
        tags: [...Object.entries(identifiers), ...Object.entries(metadata)].map(tagText),
      })),
    };
    const output = outputOf(answer);
    const end = output.kind === "unknown" ? null : microseconds();
    const note = output.kind === "nothing" ? { note: answer.answer } : {};
    const operation: WriteOperation = { client, call, return: end, op: "write", input, output, ...note };
    if (output.kind === "nothing" || output.kind === "conflict") this.#rejected.push(operation);
    this.#line(operation);
  }

  read(client: number, page: SeenPage): void {
    const { query, after, before, isBackwards, limit, hasMore, storeId, head, events, begun, ended } = page;
    this.#lastPages.set(storeId, ended);
    if (before !== undefined || events.length > EVENTS_OF_A_READ_MAX) return;
    const tags = query === "every" ? null : tagsOfQuery(query);
    if (tags === undefined) return;
    this.#line({
      client,
      call: begun,
      return: ended,
      op: "read",
      input: { tags, after, limit, backwards: isBackwards, ...this.#mayLag ? { mayLag: true } : {} },
      output: {
        store: storeId,
        head,
        hasMore,
        events: events.map(({ sequence, mark }) => [sequence, mark] as const),
      },
    });
  }

  /**
   * Writes the forks: each store that came into being, with the first events of the one before it. A write that was not
   * answered when the primary failed can be seen for a moment (docs/several_servers.md). When the new primary lacks it,
   * its answer is that of the new store. In the old store it may have been written, after the part that was kept. Not
   * even its event must have been seen: the head of a page is enough.
   */
  forks({ before, after, failover, observations: { histories } }: Evidence): void {
    const rejected = this.#rejected.filter((write) => write.return! >= failover.struckAt);
    this.#rejected = [];
    if (before.storeId === after.storeId) return;
    const all = [...histories.known.keys()];
    const stores = [...all.slice(all.indexOf(before.storeId), all.indexOf(after.storeId)), after.storeId];
    stores.slice(1).forEach((store, i) => {
      const old = stores[i]!;
      const kept = keptIn(histories.of(old), after.events, failover.kept ?? 0);
      this.#line({
        client: -1,
        call: failover.struckAt,
        return: microseconds(),
        op: "fork",
        input: {},
        output: { store, kept },
      });
      const lastPage = this.#lastPages.get(old) ?? -Infinity;
      for (const write of rejected) {
        if (write.call > lastPage) continue;
        this.#line({ ...write, return: null, output: { kind: "unknown", store: old, after: kept } });
      }
    });
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  #line(operation: Operation): void {
    const bytes = this.#encoder.encode(`${JSON.stringify(operation)}\n`);
    for (let written = 0; written < bytes.length;) written += this.#file.writeSync(bytes.subarray(written));
  }
}

/**
 * Returns how many events a store has in common with the one before it. They end with the last event that clients saw
 * in both, and include at least those that the new primary had. The first event that differs ends them.
 */
function keptIn(old: ReadonlyMap<number, SeenEvent>, events: readonly SeenEvent[], had: number): number {
  const differing = events.findIndex(({ sequence, mark }) => (old.get(sequence)?.mark ?? mark) !== mark);
  const same = differing < 0 ? events : events.slice(0, differing);
  return Math.max(same.findLastIndex(({ sequence }) => old.has(sequence)) + 1, Math.min(had, same.length));
}

function outputOf({ status, storeId, answer }: Answer): WriteOperation["output"] {
  if (answer === undefined) return { kind: "unknown" };
  if (status === 409) return { kind: "conflict" };
  if (status !== 200) return { kind: "nothing" };
  const { events } = JSON.parse(answer) as { readonly events: readonly { readonly sequence: number }[] };
  return { kind: "written", store: storeId, sequences: events.map(({ sequence }) => sequence) };
}

/** Translates a condition on several items into one condition for each item. */
function conditionsOf(
  { failIfEventsMatch, afterSequence, store }: WireWrite["conditions"][number],
): WriteCondition[] {
  return failIfEventsMatch.map(({ identifiers = [], metadata = [] }) => ({
    after: afterSequence ?? 0,
    ...store === undefined ? {} : { store },
    tags: [...identifiers, ...metadata].map(({ name, value }) => tagText([name, value])),
  }));
}

/** The tags that an event must carry; undefined when the query asks for something else. */
function tagsOfQuery(query: SeenPage["query"]): string[] | undefined {
  if (typeof query === "string" || query.length !== 1) return undefined;
  const { types, identifiers, metadata } = query[0]!;
  if (types.length > 0) return undefined;
  return [...identifiers, ...metadata].map(({ name, value }) => tagText([name, value]));
}

function tagText([name, value]: readonly [string, string]): string {
  return `${name}:${value}`;
}
