import type { App } from "../frame/app.ts";
import { h, replace } from "../parts/dom.ts";
import { durationText, partsOf } from "../parts/format.ts";
import { button, closeMenu, menu } from "../parts/parts.ts";
import type { Route } from "../frame/route.ts";

const LAST = [60, 5 * 60, 3600, 24 * 3600, 7 * 24 * 3600];

/** Narrows the list to a time range: the last minutes or days, or from one time to another. */
export class TimeMenu {
  readonly element: HTMLDetailsElement;
  readonly #from = timeField();
  readonly #before = timeField();
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
    const last = LAST.map((seconds) =>
      button(
        `Last ${durationText(seconds).replace(/ 0 \w+$/, "")}`,
        () => this.#set(Date.now() - 1000 * seconds, undefined),
      )
    );
    this.element = menu(
      "Any time",
      h("div", { class: "menu-grid" }, button("Any time", () => this.#set(undefined, undefined)), ...last),
      h("label", {}, "From", this.#from),
      h("label", {}, "Before", this.#before),
      button("Apply", () => this.#set(valueOf(this.#from), valueOf(this.#before)), {
        class: "button strong",
      }),
    );
  }

  show({ filter: { from, before } }: Route): void {
    this.#from.value = localText(from);
    this.#before.value = localText(before);
    const label = from === undefined && before === undefined
      ? "Any time"
      : `${shortText(from) || "start"} \u2013 ${shortText(before) || "now"}`;
    replace(this.element.querySelector("summary")!, label);
  }

  #set(from: number | undefined, before: number | undefined): void {
    closeMenu(this.element);
    this.#app.go({ filter: { ...this.#app.route.filter, from, before }, position: undefined });
  }
}

function timeField(): HTMLInputElement {
  return h("input", { type: "datetime-local", step: "0.001" });
}

function valueOf({ value }: HTMLInputElement): number | undefined {
  const time = new Date(value).getTime();
  return Number.isNaN(time) ? undefined : time;
}

function localText(time: number | undefined): string {
  if (time === undefined) return "";
  const { date, clock } = partsOf(new Date(time));
  return `${date}T${clock}`;
}

/** A time for the button. The day is shown only if it is not today. */
function shortText(time: number | undefined): string {
  if (time === undefined) return "";
  const { date, clock } = partsOf(new Date(time));
  const today = partsOf(new Date()).date;
  return `${date === today ? "" : `${date.slice(5)} `}${clock.slice(0, 8)}`;
}
