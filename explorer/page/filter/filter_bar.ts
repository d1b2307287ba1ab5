import type { App } from "../frame/app.ts";
import type { Route } from "../frame/route.ts";
import { Combobox } from "../parts/combobox.ts";
import { h, replace, setAttribute } from "../parts/dom.ts";
import { button } from "../parts/parts.ts";
import { type Alternative, alternativesOf, NOTHING_ASKED, withTag, withType } from "./filter.ts";
import { alternativeChips } from "./filter_chips.ts";
import type { Suggestion } from "./seen.ts";
import { choiceOf } from "./suggestion_choice.ts";
import { NO_TAG } from "./tag.ts";
import { meantBy, problemOf } from "./typed_text.ts";

const SUGGESTIONS_MAX = 12;
const LABEL = "Filter by type or tag";

/** The alternatives of the filter with their types and tags, and a field to add more. */
export class FilterBar {
  readonly element = h("div", { class: "filter-bar", role: "group", "aria-label": "Filter" });
  readonly #app: App;
  readonly #combobox: Combobox<Suggestion>;
  #alternatives: readonly Alternative[] | undefined;
  /** The index of the alternative that the field adds to. It equals their number when the field begins a new one. */
  #at = 0;
  /** The text that the field holds although it matches nothing. */
  #warnedOf: string | undefined;

  constructor(app: App) {
    this.#app = app;
    this.#combobox = new Combobox<Suggestion>({
      id: "filter",
      label: LABEL,
      placeholder: "",
      choices: (text) => app.seen.suggestions(text, this.#edited, SUGGESTIONS_MAX).map(choiceOf),
      onChoice: (choice) => this.#add(choice),
      isWhole: (text) => /=./s.test(text) || app.seen.types.includes(text),
      problemOf: (text) => this.#problemOf(text),
      onText: (text) => this.#add(meantBy(text)!),
      emptyKeys: { "Backspace": () => this.#removeLast(), "|": () => this.#edit(this.#all.length) },
    });
  }

  focus(): void {
    this.#combobox.input.focus();
  }

  /** Puts a text into the field, to be continued. */
  begin(text: string): void {
    this.#combobox.begin(text);
  }

  show({ filter }: Route): void {
    if (filter.alternatives === this.#alternatives) return;
    this.#alternatives = filter.alternatives;
    this.#at = Math.min(this.#at, Math.max(0, filter.alternatives.length - 1));
    this.#draw();
  }

  get #all(): readonly Alternative[] {
    return this.#alternatives ?? [];
  }

  get #edited(): Alternative {
    return this.#all[this.#at] ?? NOTHING_ASKED;
  }

  #draw(): void {
    const { input } = this.#combobox;
    const hasFocus = document.activeElement === input;
    const count = this.#all.length;
    const isAnother = this.#at === count;
    const shown = isAnother ? [...this.#all, NOTHING_ASKED] : this.#all;
    const groups = shown.map((alternative, i) => this.#group(alternative, i, shown.length));
    const another = isAnother ? undefined : button("or \u2026", () => this.#edit(count), {
      class: "link another",
      title: "Add an alternative ( | in the field)",
    });
    replace(this.element, ...groups, another);
    if (count === 0) input.placeholder = "Filter: a type, name=value, or @name=value";
    else input.placeholder = isAnother ? "a type, or a tag" : "and ...";
    setAttribute(input, "aria-label", shown.length > 1 ? `${LABEL}, alternative ${this.#at + 1}` : LABEL);
    if (hasFocus) this.focus();
  }

  #group(alternative: Alternative, at: number, count: number): HTMLElement {
    const chips = alternativeChips(alternative, (changed) => this.#change(at, changed));
    if (count === 1) return h("span", { class: "alternative" }, ...chips, this.#combobox.element);
    const name = `alternative ${at + 1}`;
    const field = at === this.#at ? this.#combobox.element : button("+", () => this.#edit(at), {
      "class": "chip-button",
      "aria-label": `Add to ${name}`,
      "title": `Add to ${name}`,
    });
    return h(
      "span",
      { class: "alternative one-of-many", role: "group", "aria-label": `${name} of ${count}` },
      at === 0 ? undefined : h("span", { class: "or" }, "or"),
      ...chips,
      field,
      button("\u2715", () => this.#change(at, NOTHING_ASKED), {
        "class": "chip-button remove",
        "aria-label": `Remove ${name}`,
        "title": `Remove ${name}`,
      }),
    );
  }

  #edit(at: number): void {
    this.#at = at;
    this.#draw();
    this.focus();
  }

  /** Replaces an alternative, and removes it when it is empty. */
  #change(at: number, changed: Alternative): void {
    const alternatives = [...this.#all];
    alternatives[at] = changed;
    const filter = { ...this.#app.route.filter, alternatives: alternativesOf(alternatives) };
    const isGone = filter.alternatives.length < alternatives.length;
    this.#at = Math.max(0, isGone ? at - 1 : at);
    this.#app.go({ filter, position: undefined });
    // A cancelled new alternative leaves the address unchanged, so `go` would not draw.
    this.#draw();
    this.focus();
  }

  #add(found: Suggestion): void {
    this.#warnedOf = undefined;
    const added = found.what === "type"
      ? withType(this.#edited, found.type)
      : withTag(this.#edited, found.tag);
    this.#change(this.#at, added);
  }

  /** Returns why a text matches nothing, once: the user may insist, such as on a type that is yet to come. */
  async #problemOf(text: string): Promise<string | undefined> {
    const meant = meantBy(text);
    if (meant === undefined) return NO_TAG;
    if (text === this.#warnedOf) return undefined;
    const problem = await problemOf(meant, this.#app);
    if (problem !== undefined) this.#warnedOf = text;
    return problem;
  }

  #removeLast(): void {
    const { types, tags } = this.#edited;
    if (tags.length > 0) this.#change(this.#at, { types, tags: tags.slice(0, -1) });
    else if (types.length > 0) this.#change(this.#at, { types: types.slice(0, -1), tags });
    else if (this.#at > 0) this.#edit(this.#at - 1);
  }
}
