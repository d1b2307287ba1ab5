import type { App } from "../frame/app.ts";
import { type Choice, Combobox } from "../parts/combobox.ts";
import { h, replace } from "../parts/dom.ts";
import { type Filter, isSameTag, type Tag, withTag, withType } from "./filter.ts";
import { type Route, tagOf } from "../frame/route.ts";
import type { Suggestion } from "./seen.ts";
import { visibleLine } from "../parts/visible_text.ts";

const SUGGESTIONS_MAX = 12;

/** The types and tags that the list is narrowed to, and a field for more. */
export class FilterBar {
  readonly element: HTMLElement;
  readonly #chips = h("span", { class: "chips" });
  readonly #app: App;
  readonly #combobox: Combobox<Suggestion>;
  #filter: Filter | undefined;

  constructor(app: App) {
    this.#app = app;
    this.#combobox = new Combobox<Suggestion>({
      id: "filter",
      label: "Filter by type or tag",
      placeholder: "Filter: a type, name=value, or @name=value",
      choices: (text) => app.seen.suggestions(text, app.route.filter, SUGGESTIONS_MAX).map(choiceOf),
      onChoice: (choice) => this.#add(choice),
      onText: (text) => this.#addText(text),
      onBack: () => this.#removeLast(),
    });
    this.element = h("div", { class: "filter-bar" }, this.#chips, this.#combobox.element);
  }

  focus(): void {
    this.#combobox.input.focus();
  }

  show({ filter }: Route): void {
    if (filter === this.#filter) return;
    this.#filter = filter;
    const chips = [
      ...filter.types.map((type) =>
        chip(
          "type",
          "type",
          type,
          () => this.#set({ ...filter, types: filter.types.filter((other) => other !== type) }),
        )
      ),
      ...filter.tags.map((tag) => chip(tag.kind, tag.name, tag.value, () => this.#set(without(filter, tag)))),
    ];
    replace(this.#chips, ...chips);
    this.#combobox.input.placeholder = chips.length === 0
      ? "Filter: a type, name=value, or @name=value"
      : "and ...";
  }

  #set(filter: Filter): void {
    this.#app.go({ filter, position: undefined });
    this.focus();
  }

  #add(suggestion: Suggestion): void {
    const { filter } = this.#app.route;
    this.#set(
      suggestion.what === "type" ? withType(filter, suggestion.type) : withTag(filter, suggestion.tag),
    );
  }

  #addText(text: string): string | undefined {
    if (text.includes("=")) {
      const tag = tagOf(text);
      if (tag === undefined) return "a tag is name=value; @name=value for metadata";
      this.#add({ what: "tag", tag });
    } else this.#add({ what: "type", type: text });
    return undefined;
  }

  #removeLast(): void {
    const { filter } = this.#app.route;
    const tag = filter.tags.at(-1);
    if (tag !== undefined) this.#set(without(filter, tag));
    else if (filter.types.length > 0) this.#set({ ...filter, types: filter.types.slice(0, -1) });
  }
}

function without(filter: Filter, tag: Tag): Filter {
  return { ...filter, tags: filter.tags.filter((other) => !isSameTag(other, tag)) };
}

/** A choice as the combobox shows it. */
export function choiceOf(suggestion: Suggestion): Choice<Suggestion> {
  if (suggestion.what === "type") {
    return { label: visibleLine(suggestion.type), hint: "type", value: suggestion };
  }
  const { kind, name, value } = suggestion.tag;
  const hint = kind === "metadata" ? "metadata" : "identifier";
  return { label: visibleLine(`${name}=${value}`), hint, value: suggestion };
}

function chip(kind: string, name: string, value: string, onRemove: () => void): HTMLElement {
  const text = visibleLine(`${name} ${value}`);
  return h(
    "span",
    { class: `chip ${kind}` },
    h("span", { class: "tag-name" }, visibleLine(name)),
    h("span", { class: "tag-value" }, h("bdi", {}, visibleLine(value))),
    h("button", { "type": "button", "aria-label": `Remove ${text}`, "on": { click: onRemove } }, "\u2715"),
  );
}
