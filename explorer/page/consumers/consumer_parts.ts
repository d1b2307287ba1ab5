import type {
  ConsumerPartition,
  ConsumerState,
  ConsumerSummary,
  ParkedEvent,
} from "../../../client/consume/consumers.ts";
import { fragmentOf, START } from "../frame/route.ts";
import { type Child, h } from "../parts/dom.ts";
import { timeText, wholeText } from "../parts/format.ts";
import { fact, notice, typeMark } from "../parts/parts.ts";
import { tableOf } from "../parts/table.ts";
import { visibleLine } from "../parts/visible_text.ts";

const CHARACTERS_MAX = 500;

/** All consumers, or the explanation that there are none. */
export function consumerList(listed: readonly ConsumerSummary[]): Child[] {
  if (listed.length === 0) {
    const text =
      "A consumer handles events in one or more processes. A program starts it with store.consume.";
    return [notice("No consumers", text)];
  }
  const rows = listed.map(({ name, by, lag, parked, members }) => [
    h("a", { href: fragmentOf({ ...START, view: "consumers", consumer: name }) }, visibleLine(name)),
    orderText(by),
    wholeText(lag),
    parked === 0 ? "0" : h("span", { class: "problem" }, wholeText(parked)),
    wholeText(members),
  ]);
  return [tableOf(["Consumer", "Order", "Lag", "Parked", "Members"], rows, ["Lag", "Parked", "Members"])];
}

/** Name, order, lag and members. */
export function consumerFacts(
  { name, by, lag, members }: Pick<ConsumerState, "name" | "by" | "lag" | "members">,
): Child[] {
  return [
    h("a", { href: fragmentOf({ ...START, view: "consumers" }) }, "All consumers"),
    h("h2", { class: "view-title" }, h("bdi", {}, visibleLine(name))),
    h(
      "dl",
      { class: "facts" },
      ...fact("Order", orderText(by)),
      ...fact("Lag", wholeText(lag)),
      ...fact(
        "Members",
        members.length === 0 ? "none: no process runs it" : members.map(visibleLine).join(", "),
      ),
    ),
  ];
}

export function partitionTable(partitions: readonly ConsumerPartition[]): Child[] {
  const rows = partitions.map(({ partition, upTo, member }) => [
    String(partition),
    member === undefined ? "-" : visibleLine(member),
    wholeText(upTo),
  ]);
  return [
    h("h2", { class: "view-title" }, "Partitions"),
    tableOf(["Partition", "Member", "Done up to"], rows, ["Done up to"]),
  ];
}

/** The event, with a link that opens it. @param color the class of the colour of its type */
export function parkedEvent({ sequence, type, key }: ParkedEvent, color: string): HTMLElement {
  return h(
    "div",
    { class: "lines" },
    h("a", { href: fragmentOf({ ...START, open: sequence }) }, `#${sequence}`),
    h("span", {}, typeMark(color), h("bdi", {}, shortLine(type))),
    h("span", { class: "quiet" }, "key ", h("bdi", {}, shortLine(JSON.stringify(key)))),
  );
}

/** The error, when it occurred, and after how many attempts. */
export function parkedError({ error, attempts, time, retry }: ParkedEvent): HTMLElement {
  const { date, clock } = timeText(time);
  return h(
    "div",
    { class: "lines" },
    h("bdi", {}, shortLine(error)),
    h(
      "span",
      { class: "quiet" },
      h("time", { datetime: time, title: time }, h("span", {}, date), " ", h("span", {}, clock)),
      attempts === 0 ? ", not attempted" : `, ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`,
    ),
    retry === true ? h("span", { class: "quiet" }, "to be handled again") : undefined,
  );
}

function orderText(by: string): string {
  return by === "" ? "all events in order" : `by ${visibleLine(by)}`;
}

function shortLine(text: string): string {
  return visibleLine(text.slice(0, CHARACTERS_MAX)) + (text.length > CHARACTERS_MAX ? " \u2026" : "");
}
