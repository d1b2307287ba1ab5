import { EventStore } from "../../../client/mod.ts";
import { type Server, serverOf } from "../../../client/server.ts";
import { countedEvents } from "../../model/counted_events.ts";
import type { ShellContext } from "../context.ts";
import { ShellExit } from "../ends.ts";
import { numberTable } from "../output/number_table.ts";
import { jsonLine } from "../output/printable.ts";

/** The part of the answer to `GET /catalog` that the verbs show. */
export interface Catalog {
  readonly afterSequence: number;
  readonly lastEventTime: string | null;
  readonly types: readonly { type: string; count: number; first: number; last: number }[];
  readonly identifiers: readonly { name: string; count: number }[];
  /** True when `types` lacks some. */
  readonly moreTypes?: boolean;
}

interface Flags {
  readonly json: boolean;
}

export async function readCatalog(server: Server, signal?: AbortSignal): Promise<Catalog> {
  const { body, json } = await server.once({ method: "GET", path: "/catalog", signal });
  return json<Catalog>(body);
}

/** Reads the catalog. The server may still be counting, such as after a start: standard error says so. */
async function catalogOf(context: ShellContext): Promise<Catalog> {
  const { sequence } = await new EventStore(context.place.options).head();
  const catalog = await readCatalog(serverOf(context.place.options));
  if (catalog.afterSequence < sequence) {
    const counted = `the events up to sequence ${catalog.afterSequence} of ${sequence}`;
    context.printError(`the server is still counting: this is about ${counted}`);
  }
  return catalog;
}

/** Prints the types of the store's events as the catalog counts them, the most frequent first. */
export async function catalogTypes(context: ShellContext, { json }: Flags): Promise<number> {
  const { types } = await catalogOf(context);
  if (json) await context.print(types.map(jsonLine).join(""));
  else {
    const rows = types.map(({ type, count, first, last }) => [count, first, last, type]);
    await context.print(numberTable(["EVENTS", "FIRST", "LAST", "TYPE"], rows));
  }
  return ShellExit.ok;
}

/** Prints how many events the store has, and how many of them have an identifier of each name. */
export async function stats(context: ShellContext, { json }: Flags): Promise<number> {
  const catalog = await catalogOf(context);
  const { lastEventTime, types, identifiers } = catalog;
  if (json) await context.print(jsonLine(catalog));
  else {
    const last = lastEventTime === null ? "" : `, the last one at ${lastEventTime}`;
    const rows = identifiers.map(({ name, count }) => [count, name]);
    await context.print(`${countedEvents(catalog)} events of ${types.length} types${last}\n`);
    if (rows.length > 0) await context.print(numberTable(["EVENTS", "IDENTIFIER"], rows));
  }
  return ShellExit.ok;
}
