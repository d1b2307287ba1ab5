import type { Consumers, ConsumerState, ConsumerSummary } from "../../../client/mod.ts";
import type { ShellContext } from "../context.ts";
import { reach } from "../edition.ts";
import { NotFound, ShellExit, Wrong } from "../ends.ts";
import { numberTable } from "../output/number_table.ts";
import { jsonLine, printable } from "../output/printable.ts";

interface Flags {
  readonly retry: string | undefined;
  readonly drop: string | undefined;
  readonly json: boolean;
}

/** Lists the consumers of the client library, shows one, or has its parked events handled again or dropped. */
export async function consumers(
  context: ShellContext,
  [name]: readonly string[],
  { retry, drop, json }: Flags,
): Promise<number> {
  const change = retry ?? drop;
  if (retry !== undefined && drop !== undefined) throw new Wrong("give --retry or --drop, not both");
  if (change !== undefined && name === undefined) {
    throw new Wrong("--retry and --drop need the name of a consumer");
  }
  if (change !== undefined && json) throw new Wrong("--json belongs to the list, or to one consumer");
  const which = change === undefined
    ? undefined
    : whichOf(retry === undefined ? "--drop" : "--retry", change);
  const { store, edition } = await reach(context.place);
  if (edition !== "A") throw new Wrong(`consumers need edition A; the server has edition ${edition}`);
  const all = await store.consumers();
  if (name === undefined) {
    const listed = await all.list();
    await context.print(json ? listed.map(jsonLine).join("") : tableOf(listed));
    return ShellExit.ok;
  }
  const found = await all.get(name);
  if (!found) throw new NotFound(`there is no consumer "${name}"`);
  if (which !== undefined) await context.print(await changed(all, name, which, retry !== undefined));
  else await context.print(json ? jsonLine(found) : pageOf(found));
  return ShellExit.ok;
}

function whichOf(flag: string, text: string): number | "all" {
  if (text === "all") return text;
  if (!/^[1-9]\d{0,15}$/.test(text)) {
    throw new Wrong(`${flag} takes the sequence of a parked event or all, not ${JSON.stringify(text)}`);
  }
  return Number(text);
}

/** Has parked events handled again, or dropped. @returns the message */
async function changed(
  consumers: Consumers,
  name: string,
  which: number | "all",
  isRetry: boolean,
): Promise<string> {
  const count = await (isRetry ? consumers.retry(name, which) : consumers.drop(name, which));
  if (count === 0 && which !== "all") throw new NotFound(`consumer "${name}" has no parked event ${which}`);
  const events = `${count} parked ${count === 1 ? "event" : "events"}`;
  return isRetry ? `${events} will be handled again\n` : `dropped ${events}\n`;
}

function tableOf(listed: readonly ConsumerSummary[]): string {
  if (listed.length === 0) return "";
  const rows = listed.map(({ lag, parked, members, name }) => [lag, parked, members, name]);
  return numberTable(["LAG", "PARKED", "MEMBERS", "NAME"], rows);
}

function pageOf({ name, by, lag, partitions, members, parked }: ConsumerState): string {
  const order = by === "" ? "all events in order" : `in order by ${by}`;
  const counts = `lag ${lag}, ${members.length} members, ${parked.length} parked`;
  const rows = partitions.map(({ partition, upTo, member }) => [partition, upTo, member ?? "-"]);
  const events = parked.map(({ sequence, attempts, time, type, key, error, retry }) => {
    const state = retry ? "to be handled again: " : "";
    return [sequence, attempts, time, `${state}${type} of ${JSON.stringify(key)}: ${error}`];
  });
  return printable(`${name}: ${order}; ${counts}`) + "\n" +
    numberTable(["PARTITION", "UP TO", "MEMBER"], rows) +
    (events.length ? numberTable(["PARKED", "ATTEMPTS", "TIME", "ERROR"], events) : "");
}
