import type { ParkedEvent } from "../../../client/consume/consumers.ts";
import type { App } from "../frame/app.ts";
import { type Child, h } from "../parts/dom.ts";
import { wholeText } from "../parts/format.ts";
import { button } from "../parts/parts.ts";
import { tableOf } from "../parts/table.ts";
import { parkedError, parkedEvent } from "./consumer_parts.ts";

const ROWS_MAX = 200;

/** Changes of parked events: one sequence, or all. */
export interface ParkedActions {
  retry(which: number | "all"): void;
  drop(which: number | "all"): void;
}

/** The parked events of a consumer, with buttons where writes are allowed. */
export function parkedPart(
  app: App,
  parked: readonly ParkedEvent[],
  actions: ParkedActions,
): Child[] {
  const title = h("h2", { class: "view-title" }, "Parked events");
  if (parked.length === 0) {
    return [
      title,
      h("p", { class: "quiet" }, "None. An event is parked when its handler has failed on every attempt."),
    ];
  }
  const mayWrite = app.about.allowWrites && app.may.includes("write");
  const rows = parked.slice(0, ROWS_MAX).map((one) => [
    parkedEvent(one, app.catalog.colorIfKnown(one.type)),
    parkedError(one),
    ...mayWrite ? [rowButtons(one, actions)] : [],
  ]);
  const all = `${wholeText(parked.length)} ${
    parked.length === 1 ? "event waits" : "events wait"
  } for a decision.`;
  const shown = parked.length > ROWS_MAX ? ` The first ${ROWS_MAX} are shown.` : "";
  return [
    title,
    h("p", { class: "quiet" }, all + shown + (mayWrite ? "" : ` ${remedyOf(app)}`)),
    mayWrite
      ? h(
        "div",
        { class: "panel-actions" },
        button("Retry all", () => actions.retry("all")),
        button("Drop all", () => actions.drop("all")),
      )
      : undefined,
    tableOf(["Event", "Error", ...mayWrite ? ["Action"] : []], rows),
  ];
}

function rowButtons({ sequence, retry }: ParkedEvent, actions: ParkedActions): HTMLElement {
  const decide = (label: string, action: (which: number) => void): HTMLButtonElement =>
    button(label, () => action(sequence), { "aria-label": `${label} #${sequence}` });
  return h(
    "div",
    { class: "decide" },
    retry === true ? undefined : decide("Retry", actions.retry),
    decide("Drop", actions.drop),
  );
}

function remedyOf({ may }: App): string {
  return may.includes("write")
    ? "To retry or drop them here, start the explorer with --allow-writes."
    : 'To retry or drop them, the explorer\'s token needs the right "write".';
}
