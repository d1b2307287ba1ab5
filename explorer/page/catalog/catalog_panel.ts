import { countedEvents } from "../../../src/model/counted_events.ts";
import type { App } from "../frame/app.ts";
import { type Filter, isOnlyType, narrowedToType } from "../filter/filter.ts";
import { h, replace } from "../parts/dom.ts";
import { wholeText } from "../parts/format.ts";
import { typeMark } from "../parts/parts.ts";
import { visibleLine } from "../parts/visible_text.ts";
import { regularly } from "../parts/regularly.ts";
import type { Catalog } from "./store_catalog.ts";

/** Of so many names each, the rest is found with the filter. */
const SHOWN_MAX = 100;
const CHARACTERS_MAX = 100;
const PAUSE_MILLISECONDS = 5000;

/** The types and identifiers of the store with their counts, on the left of the events. A press filters by one. */
export class CatalogPanel {
  readonly element: HTMLDetailsElement;
  readonly #app: App;
  readonly #onName: (name: string) => void;
  readonly #summary = h("summary", { class: "catalog-total" }, "Contents");
  readonly #types = h("ul", { "aria-label": "Types" });
  readonly #names = h("ul", { "aria-label": "Identifiers" });
  /** Given while the catalog is read regularly. */
  #ending: AbortController | undefined;
  #drawn = "";

  /** @param onName called with the name of an identifier, of which a filter needs a value */
  constructor(app: App, onName: (name: string) => void) {
    this.#app = app;
    this.#onName = onName;
    this.element = h(
      "details",
      { class: "catalog" },
      this.#summary,
      h("h2", {}, "Types"),
      this.#types,
      h("h2", {}, "Identifiers"),
      this.#names,
    );
    // On a narrow screen it would hide the list.
    this.element.open = matchMedia("(min-width: 1000px)").matches;
  }

  /** Reads the catalog regularly. Resolves when it is known, or could not be read once. */
  async start(): Promise<void> {
    if (this.#ending !== undefined && this.#app.catalog.current !== undefined) return;
    this.stop();
    const { signal } = this.#ending = new AbortController();
    await new Promise<void>((resolve) => {
      void regularly(PAUSE_MILLISECONDS, () => this.#read(signal).then(resolve), signal).then(resolve);
    });
  }

  stop(): void {
    this.#ending?.abort();
    this.#ending = undefined;
  }

  /** Marks the types of the filter. */
  show(filter: Filter): void {
    const { current } = this.#app.catalog;
    if (current !== undefined) this.#draw(current, filter);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { catalog, calls, seen } = this.#app;
    try {
      const { types } = await catalog.read(calls, signal);
      for (const { type } of types.toReversed()) seen.addType(type);
      this.show(this.#app.route.filter);
    } catch {
      // StoreCalls has already reported the failure.
    }
  }

  #draw(current: Catalog, filter: Filter): void {
    const { types, identifiers } = current;
    const drawn = JSON.stringify([current, filter]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const events = countedEvents(current);
    this.#summary.textContent = `${wholeText(events)} event${events === 1 ? "" : "s"}`;
    const { catalog } = this.#app;
    const typeItems = types.slice(0, SHOWN_MAX).map(({ type, count }) => {
      const isOnly = isOnlyType(filter, type);
      const changed = isOnly ? { ...filter, alternatives: [] } : narrowedToType(filter, type);
      const press = (): void => this.#app.go({ filter: changed, position: undefined });
      return itemOf([typeMark(catalog.colorOf(type)), nameOf(type)], count, press, {
        "aria-pressed": `${isOnly}`,
      });
    });
    replace(this.#types, ...typeItems, restOf(types.length));
    const nameItems = identifiers.slice(0, SHOWN_MAX).map(({ name, count }) =>
      itemOf([nameOf(name)], count, () => this.#onName(name))
    );
    replace(this.#names, ...nameItems, restOf(identifiers.length));
  }
}

function itemOf(
  content: readonly HTMLElement[],
  count: number,
  onPress: () => void,
  properties: Record<string, string> = {},
): HTMLElement {
  const number = h("span", { class: "catalog-count" }, wholeText(count));
  return h(
    "li",
    {},
    h("button", { type: "button", ...properties, on: { click: onPress } }, ...content, number),
  );
}

function nameOf(name: string): HTMLElement {
  const text = visibleLine(name.slice(0, CHARACTERS_MAX));
  return h("span", { class: "catalog-name", title: text }, h("bdi", {}, text));
}

function restOf(count: number): HTMLElement | undefined {
  return count > SHOWN_MAX
    ? h("li", { class: "quiet" }, `and ${wholeText(count - SHOWN_MAX)} more`)
    : undefined;
}
