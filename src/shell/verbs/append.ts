import { type Condition, type NewEvent, type Position, Refused } from "../../../client/mod.ts";
import type { ShellContext } from "../context.ts";
import { reach, type Reached } from "../edition.ts";
import { ShellExit, Wrong } from "../ends.ts";
import { eventBatches } from "../event_lines.ts";
import { jsonLine } from "../output/printable.ts";
import { positionOf, sequenceOf } from "../positions.ts";
import { type QueryFlags, queryOf, tagsOf } from "../queries.ts";
import { writeEvents, type Written } from "../write_events.ts";

interface AppendFlags {
  readonly type: string | undefined;
  readonly tag: readonly string[];
  readonly meta: readonly string[];
  readonly payload: string | undefined;
  readonly text: string | undefined;
  readonly batch: string | undefined;
  readonly json: boolean;
}

interface ConditionFlags extends QueryFlags {
  readonly after: string | undefined;
}

/** The path that stands for standard input. */
const STDIN = "-";

/** Writes one event that flags describe, or the events of a file. */
export async function append(
  context: ShellContext,
  [path]: readonly string[],
  flags: AppendFlags,
  groups: readonly ConditionFlags[],
): Promise<number> {
  const wanted = groups.map(wantedOf);
  if (path === undefined) {
    const event = eventOf(flags);
    const reached = await reach(context.place);
    const written = await writeEvents(reached, [event], await conditionsOf(reached, wanted));
    await report(context, written, flags.json);
    return ShellExit.ok;
  }
  assertNoEvent(flags);
  const batches = eventBatches(contentOf(path), nameOf(path), batchOf(flags.batch, wanted));
  let reached: Reached | undefined;
  let count = 0;
  try {
    for await (const events of batches) {
      reached ??= await reach(context.place);
      const written = await writeEvents(reached, events, await conditionsOf(reached, wanted));
      count += events.length;
      await report(context, written, flags.json);
    }
  } catch (error) {
    if (count > 0) context.printError(`the first ${count} events of ${nameOf(path)} are written`);
    throw isTooMany(error) ? new Wrong(`${error.message}; --batch N writes N at a time`) : error;
  }
  if (reached === undefined) throw new Wrong(`${nameOf(path)}: there is no event in it`);
  return ShellExit.ok;
}

/** Prints the written sequences. If the reader has closed the output, the remaining events are still written. */
async function report(context: ShellContext, written: Written, json: boolean): Promise<void> {
  const lines = written.map((event) => jsonLine(json ? event : event.sequence));
  try {
    await context.print(lines.join(""));
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return;
    throw new Error(
      `the events are written, but their sequences could not be printed: ${(error as Error).message}`,
    );
  }
}

function nameOf(path: string): string {
  return path === STDIN ? "standard input" : path;
}

/** True when the server accepts only fewer events at once. */
function isTooMany(error: unknown): error is Refused {
  return error instanceof Refused && /events, more than|more events than/.test(error.message);
}

function eventOf({ type, tag, meta, payload, text, batch }: AppendFlags): NewEvent {
  if (type === undefined) {
    throw new Wrong(
      "nothing to append: give --type and --payload, or a file of events (- for standard input)",
    );
  }
  if (batch !== undefined) throw new Wrong("--batch is for the events of a file");
  if (payload !== undefined && text !== undefined) {
    throw new Wrong("--payload and --text are both given; only one may be");
  }
  if (payload !== undefined) assertJson(payload);
  const stored = payload ?? text;
  if (stored === undefined) throw new Wrong("the payload is missing: --payload <json>, or --text <text>");
  return { type, identifiers: tagsOf(tag, "tag"), metadata: tagsOf(meta, "meta"), payload: stored };
}

/** Other programs expect JSON, and stored events cannot be changed. */
function assertJson(payload: string): void {
  try {
    JSON.parse(payload);
  } catch (error) {
    throw new Wrong(`--payload: ${(error as Error).message}; --text stores any text`);
  }
}

function assertNoEvent({ type, tag, meta, payload, text }: AppendFlags): void {
  const given = [["type", type], ["tag", tag[0]], ["meta", meta[0]], ["payload", payload], ["text", text]]
    .find(([, value]) => value !== undefined);
  if (given !== undefined) {
    throw new Wrong(`--${given[0]} describes an event, but the events come from a file`);
  }
}

function batchOf(text: string | undefined, wanted: readonly unknown[]): number {
  if (text === undefined) return Infinity;
  if (wanted.length > 0) throw new Wrong("--if-none holds for one write, --batch makes several");
  return sequenceOf(text, "batch", 1);
}

async function* contentOf(path: string): AsyncGenerator<Uint8Array, void> {
  try {
    yield* path === STDIN ? Deno.stdin.readable : (await Deno.open(path)).readable;
  } catch (error) {
    const reason = error instanceof Deno.errors.NotCapable
      ? "this program may not; standard input is -"
      : (error as Error).message;
    throw new Wrong(`${nameOf(path)}: cannot be read: ${reason}`);
  }
}

/** A condition whose position may not name its store yet. */
type Wanted = Omit<Condition, "after"> & { readonly after: Position | number | undefined };

function wantedOf(flags: ConditionFlags): Wanted {
  const { type, tag, meta, query, after } = flags;
  if (type.length + tag.length + meta.length === 0 && query === undefined && after === undefined) {
    throw new Wrong(
      "--if-none needs to know what must not be there: put --type, --tag, --meta, --query or --after behind it",
    );
  }
  return { query: queryOf(flags), after: after === undefined ? undefined : positionOf(after, "after") };
}

/** A bare sequence belongs to the store of the server. */
async function conditionsOf({ store }: Reached, wanted: readonly Wanted[]): Promise<Condition[]> {
  const needsStore = wanted.some(({ after }) => typeof after === "number");
  const storeId = needsStore ? (await store.head()).storeId : "";
  return wanted.map(({ query, after }) => {
    if (after === undefined) return { query };
    return { query, after: typeof after === "number" ? { storeId, sequence: after } : after };
  });
}
