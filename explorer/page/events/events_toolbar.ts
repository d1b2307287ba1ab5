import type { App } from "../frame/app.ts";
import { curlText, queryText, typeScriptText } from "../filter/copy_as.ts";
import { h } from "../parts/dom.ts";
import { FilterBar } from "../filter/filter_bar.ts";
import { button, closeMenu, menu } from "../parts/parts.ts";
import type { Route } from "../frame/route.ts";
import type { Bounds } from "../timeline/time_bounds.ts";
import { TimeMenu } from "../filter/time_menu.ts";

export interface ToolbarOptions {
  onPause(): void;
  /** Returns the sequences of the list. */
  boundsOf(): Promise<Bounds>;
  /** The menu of the columns. */
  readonly columns: HTMLElement;
  readonly download: HTMLElement;
}

/** The bar above the list: filter, time, order, position, copying, and the pause button. */
export class EventsToolbar {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #filterBar: FilterBar;
  readonly #timeMenu: TimeMenu;
  readonly #order: HTMLSelectElement;
  readonly #position: HTMLInputElement;
  readonly #live: HTMLButtonElement;
  /** On a phone, this button shows and hides the other tools. */
  readonly #more = button("More", () => this.#toggleTools(), {
    "class": "button more-tools",
    "aria-expanded": "false",
    "aria-controls": "tools",
  });

  constructor(app: App, { onPause, boundsOf, columns, download }: ToolbarOptions) {
    this.#app = app;
    this.#filterBar = new FilterBar(app);
    this.#timeMenu = new TimeMenu(app);
    this.#order = h(
      "select",
      { "aria-label": "Order", "on": { change: () => this.#changeOrder() } },
      h("option", { value: "newest" }, "Newest first"),
      h("option", { value: "oldest" }, "Oldest first"),
    );
    this.#position = h("input", {
      "class": "position",
      "inputmode": "numeric",
      "placeholder": "from #",
      "aria-label": "From sequence",
      "on": { change: () => this.#changePosition() },
    });
    this.#live = button("Live", onPause, { class: "button live", title: "Pause or resume (p)" });
    const tools = h(
      "div",
      { class: "tools", id: "tools" },
      this.#timeMenu.element,
      this.#order,
      this.#position,
      columns,
      copyMenu(app, boundsOf),
      download,
      this.#live,
    );
    this.element = h("div", { class: "toolbar" }, this.#filterBar.element, this.#more, tools);
  }

  focus(): void {
    this.#filterBar.focus();
  }

  /** Begins a filter by an identifier, which needs a value. */
  beginTag(name: string): void {
    this.#filterBar.begin(`${name}=`);
  }

  show(route: Route): void {
    this.#filterBar.show(route);
    this.#timeMenu.show(route);
    this.#order.value = route.isOldestFirst ? "oldest" : "newest";
    this.#position.value = route.position === undefined ? "" : String(route.position);
    const { filter: { from, before }, isOldestFirst, position } = route;
    const isPlain = from === undefined && before === undefined && !isOldestFirst && position === undefined;
    // Otherwise a hidden tool would limit the list unseen.
    this.#more.classList.toggle("in-use", !isPlain);
  }

  #toggleTools(): void {
    const isShown = this.element.classList.toggle("has-tools");
    this.#more.setAttribute("aria-expanded", String(isShown));
  }

  /** @param state undefined when new events do not belong in the list */
  showLive(state: "live" | "paused" | "away" | undefined): void {
    this.#live.hidden = state === undefined;
    this.#live.disabled = state === "away";
    this.#live.textContent = state === "paused" ? "Paused" : state === "away" ? "Not live" : "Live";
    this.#live.setAttribute("aria-pressed", String(state === "live"));
  }

  #changeOrder(): void {
    this.#app.go({ isOldestFirst: this.#order.value === "oldest", position: undefined });
  }

  #changePosition(): void {
    const text = this.#position.value.replace(/[#,\s]/g, "");
    const position = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
    if (text !== "" && position === undefined) {
      this.#app.say("A position is a sequence: a whole number from 1");
    }
    this.#app.go({ position });
  }
}

/** @param boundsOf returns the sequences of the list */
function copyMenu(app: App, boundsOf: () => Promise<Bounds>): HTMLElement {
  const item = (label: string, textOf: () => string | Promise<string>): HTMLButtonElement =>
    button(label, async () => {
      closeMenu(details);
      try {
        app.copy(await textOf(), label);
      } catch (error) {
        app.say((error as Error).message);
      }
    });
  const { facts } = app;
  const details: HTMLDetailsElement = menu(
    "Copy",
    item("Query", () => queryText(app.route.filter, facts.edition)),
    item("curl", async () => curlText(app.route.filter, await boundsOf(), facts)),
    item("TypeScript", async () => typeScriptText(app.route.filter, await boundsOf(), facts)),
    item("Link", () => location.href),
  );
  return details;
}
