import { h } from "../parts/dom.ts";
import { durationText } from "../parts/format.ts";
import { visibleLine } from "../parts/visible_text.ts";

/*
 * The current activity as `/debug` reports it: the active write, the waiting writes, and the reads.
 */

interface Waiting {
  readonly kind: string;
  readonly waitSeconds: number;
}

interface Active {
  readonly kind?: string;
  readonly ageSeconds: number;
  /** For a ticket: its deadline without a further call, its latest end, and its calls so far. */
  readonly deadline?: string;
  readonly ceiling?: string;
  readonly calls?: number;
}

/** The part of `GET /debug` that the page uses. */
export interface DebugDocument {
  readonly time: string;
  readonly paused?: { readonly since: string } | null;
  readonly pause?: { readonly state: string; readonly since: string };
  readonly transactions?: { readonly open: number };
  readonly write: { readonly active: Active | null; readonly queued: readonly Waiting[] };
  readonly read: {
    readonly httpOpen: number;
    readonly waiting: number;
    readonly sqliteInUse: number;
    readonly sqliteMax: number;
  };
}

const QUEUED_MAX = 8;

export function writingCard({ time, write: { active } }: DebugDocument): HTMLElement {
  if (active === null) return card("Writing now", "nothing", []);
  const { kind, ageSeconds, deadline, ceiling, calls } = active;
  const left = (moment: string): string =>
    durationText(Math.max(0, (Date.parse(moment) - Date.parse(time)) / 1000));
  const facts: [string, string][] = [["for", durationText(ageSeconds)]];
  if (calls !== undefined) facts.push(["calls", String(calls)]);
  if (deadline !== undefined) facts.push(["ends without a call in", left(deadline)]);
  if (ceiling !== undefined) facts.push(["ends at the latest in", left(ceiling)]);
  const title = deadline === undefined ? visibleLine(kind ?? "a write") : "a ticket";
  return card("Writing now", title, facts, ageSeconds > 5);
}

export function queueCard({ write: { queued } }: DebugDocument): HTMLElement {
  const rows = queued.slice(0, QUEUED_MAX).map(({ kind, waitSeconds }): [string, string] => [
    visibleLine(kind),
    durationText(waitSeconds),
  ]);
  if (queued.length > QUEUED_MAX) rows.push([`and ${queued.length - QUEUED_MAX} more`, ""]);
  return card("Waiting now", queued.length === 0 ? "none" : String(queued.length), rows);
}

export function readsCard({ read }: DebugDocument): HTMLElement {
  return card("Reading now", `${read.httpOpen} reads`, [
    ["of them waiting for an event", String(read.waiting)],
    ["readers at work", `${read.sqliteInUse} of ${read.sqliteMax}`],
  ]);
}

/** The pause and the open transactions, which only editions B and C have. */
export function stateCard({ pause, paused, transactions }: DebugDocument): HTMLElement | undefined {
  if (pause === undefined && paused === undefined) return undefined;
  const state = pause?.state ?? (paused ? "paused" : "normal");
  const facts: [string, string][] = [];
  const since = pause?.since ?? paused?.since;
  if (state !== "normal" && since !== undefined) facts.push(["since", since]);
  if (transactions !== undefined) facts.push(["open transactions", String(transactions.open)]);
  return card("State", state === "pauseRequested" ? "pause requested" : state, facts, state !== "normal");
}

/** The part of `GET /health` that the page uses. */
export interface HealthDocument {
  readonly version?: string;
  readonly writes?: "failing";
  readonly reason?: string;
  readonly since?: string;
}

/** Failing writes; undefined while writes succeed. */
export function writesCard({ writes, reason = "", since = "" }: HealthDocument): HTMLElement | undefined {
  if (writes === undefined) return undefined;
  return card("Writes", writes, [["since", since], ["reason", visibleLine(reason)]], true);
}

/** A card with a title, and facts below it. */
export function card(
  label: string,
  title: string,
  facts: readonly [string, string][],
  isBad = false,
): HTMLElement {
  return h(
    "section",
    { "class": `now-card${isBad ? " bad" : ""}`, "aria-label": label },
    h("h3", {}, label),
    h("p", { class: "now-title" }, title),
    facts.length === 0 ? undefined : h(
      "dl",
      { class: "facts" },
      ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
  );
}
