import type { Tag } from "../../src/model/tag.ts";
import { MARK, microseconds, type SeenEvent, type SeenPage } from "./observed.ts";

/*
 * The same history for a checker of linearizability, one call a line (audit/linearizability). Only what its model of a
 * store can say is there: an event has tags, a query names tags that an event must carry.
 */

/** Longer pages say nothing that the others do not. */
const EVENTS_OF_A_READ_MAX = 100;

/** The metadata entry of `writeOnce`, which is a tag here. */
const WRITE_KEY = "writeKey";

interface WireWrite {
  readonly conditions: readonly {
    readonly failIfEventsMatch: unknown;
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
  /** Undefined when the server's own answer did not arrive. */
  readonly answer: string | undefined;
}

/** Writes the lines of one chain to a file. */
export class HistoryLines implements Disposable {
  readonly path: string;
  readonly #file: Deno.FsFile;
  readonly #encoder = new TextEncoder();
  /** Whether replicas are read, so that a page may show a state that has passed. */
  readonly #mayLag: boolean;

  constructor(path: string, mayLag: boolean) {
    this.path = path;
    this.#mayLag = mayLag;
    this.#file = Deno.openSync(path, { write: true, create: true, truncate: true });
  }

  write(client: number, call: number, body: string, answer: Answer): void {
    const { conditions, events } = JSON.parse(body) as WireWrite;
    if (events.length === 0) return;
    const input = {
      condition: conditions.length === 0 ? null : conditionOf(conditions[0]!),
      events: events.map(({ identifiers, metadata }) => ({
        label: metadata[MARK],
        tags: tagsOf(Object.entries(identifiers), metadata[WRITE_KEY]),
      })),
    };
    const output = outputOf(answer);
    this.#line({
      client,
      call,
      return: output.kind === "unknown" ? null : microseconds(),
      op: "write",
      input,
      output,
    });
  }

  read(client: number, page: SeenPage): void {
    const { query, after, before, isBackwards, hasMore, storeId, head, events, begun, ended } = page;
    if (hasMore || isBackwards || before !== undefined || events.length > EVENTS_OF_A_READ_MAX) return;
    const tags = query === "every" ? [] : tagsOfQuery(query);
    if (tags === undefined) return;
    const found = events.map((event: SeenEvent) => [event.sequence, event.mark]);
    this.#line({
      client,
      call: begun,
      return: ended,
      op: "read",
      input: { tags, after, ...this.#mayLag ? { mayLag: true } : {} },
      output: { store: storeId, head, events: found },
    });
  }

  /** A history that goes on under another ID, with the first events of the old one. */
  fork(begun: number, storeId: string, kept: number): void {
    const output = { store: storeId, kept };
    this.#line({ client: -1, call: begun, return: microseconds(), op: "fork", input: {}, output });
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  #line(value: unknown): void {
    const bytes = this.#encoder.encode(`${JSON.stringify(value)}\n`);
    for (let written = 0; written < bytes.length;) written += this.#file.writeSync(bytes.subarray(written));
  }
}

function outputOf(
  { status, storeId, answer }: Answer,
): { readonly kind: string; readonly [key: string]: unknown } {
  if (answer === undefined) return { kind: "unknown" };
  if (status === 409) return { kind: "conflict" };
  if (status !== 200) return { kind: "nothing" };
  const { events } = JSON.parse(answer) as { readonly events: readonly { readonly sequence: number }[] };
  return { kind: "written", store: storeId, sequences: events.map(({ sequence }) => sequence) };
}

/**
 * The condition that matters. Of a decision it is the item about its topic: the events with its mark are about it, too.
 * Of several conditions it is the first, which the campaign makes the one that matters most.
 */
function conditionOf(
  { failIfEventsMatch, afterSequence = 0, store }: WireWrite["conditions"][number],
): unknown {
  const items = failIfEventsMatch as readonly { readonly identifiers?: Tag[]; readonly metadata?: Tag[] }[];
  const item = items.find(({ identifiers = [] }) => identifiers.length > 0) ?? items[0]!;
  const key = item.metadata?.find(({ name }) => name === WRITE_KEY)?.value;
  return { after: afterSequence, store: store ?? null, tags: tagsOf(pairs(item.identifiers ?? []), key) };
}

/** The tags that an event must carry; undefined when the query asks for something else. */
function tagsOfQuery(query: SeenPage["query"]): string[] | undefined {
  if (typeof query === "string" || query.length !== 1) return undefined;
  const { types, identifiers, metadata } = query[0]!;
  if (types.length > 0 || metadata.some(({ name }) => name !== WRITE_KEY)) return undefined;
  return tagsOf(pairs(identifiers), metadata[0]?.value);
}

function pairs(tags: readonly Tag[]): [string, string][] {
  return tags.map(({ name, value }) => [name, value]);
}

function tagsOf(identifiers: readonly [string, string][], key: string | undefined): string[] {
  const tags = identifiers.map(([name, value]) => `${name}:${value}`);
  return key === undefined ? tags : [...tags, `${WRITE_KEY}:${key}`];
}
