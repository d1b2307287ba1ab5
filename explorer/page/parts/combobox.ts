import { h, replace, setAttribute } from "./dom.ts";

/** An option of the field. */
export interface Choice<Value> {
  readonly label: string;
  /** The kind of value, shown next to the label. */
  readonly hint: string;
  readonly value: Value;
}

export interface ComboboxOptions<Value> {
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  /** Returns the options for a text. */
  choices(text: string): readonly Choice<Value>[];
  /** Called with the option that the user chose, or typed and confirmed. */
  onChoice(value: Value): void;
  /** Returns true if Enter takes the text itself instead of the first option. */
  isWhole(text: string): boolean;
  /** Returns an error message for a confirmed text, or undefined when `onText` may be called with it. */
  problemOf(text: string): string | undefined | Promise<string | undefined>;
  /** Called with a confirmed text for which there is no problem. */
  onText(text: string): void;
  /** Actions of keys in an empty field. */
  readonly emptyKeys?: Readonly<Record<string, () => void>>;
}

/** A field with suggestions, as the ARIA practices describe it. */
export class Combobox<Value> {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #problem: HTMLElement;
  readonly #options: ComboboxOptions<Value>;
  #choices: readonly Choice<Value>[] = [];
  /** The index of the option that Enter takes; -1 for the text itself. */
  #active = -1;

  constructor(options: ComboboxOptions<Value>) {
    this.#options = options;
    const { id, label, placeholder } = options;
    this.#list = h("ul", {
      class: "choices",
      id: `${id}-choices`,
      role: "listbox",
      "aria-label": label,
      hidden: true,
    });
    this.#problem = h("span", { class: "problem", id: `${id}-problem`, role: "alert" });
    this.input = h("input", {
      "id": id,
      "type": "text",
      placeholder,
      "role": "combobox",
      "aria-label": label,
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      "aria-controls": `${id}-choices`,
      "aria-describedby": `${id}-problem`,
      "autocomplete": "off",
      "spellcheck": "false",
      "on": {
        input: () => this.#open(),
        focus: () => this.#open(),
        click: () => this.#open(),
        blur: () => this.#close(),
        keydown: (event) => this.#onKey(event),
      },
    });
    this.element = h("div", { class: "combobox" }, this.input, this.#list, this.#problem);
  }

  /** Puts a text into the field, and suggests what continues it. */
  begin(text: string): void {
    this.input.value = text;
    this.input.focus();
    this.#open();
  }

  #open(): void {
    this.#problem.textContent = "";
    this.#choices = this.#options.choices(this.input.value);
    this.#active = this.#lowest;
    this.#draw();
  }

  /** The lowest value of `#active`: 0 when Enter must take an option. */
  get #lowest(): number {
    const text = this.input.value.trim();
    return this.#choices.length === 0 || text === "" || this.#options.isWhole(text) ? -1 : 0;
  }

  #close(): void {
    this.#choices = [];
    this.#active = -1;
    this.#draw();
  }

  #draw(): void {
    const { id } = this.#options;
    this.#list.hidden = this.#choices.length === 0;
    setAttribute(this.input, "aria-expanded", String(!this.#list.hidden));
    setAttribute(this.input, "aria-activedescendant", this.#active < 0 ? undefined : `${id}-${this.#active}`);
    replace(
      this.#list,
      ...this.#choices.map((choice, i) =>
        h(
          "li",
          {
            "id": `${id}-${i}`,
            "role": "option",
            "aria-selected": String(i === this.#active),
            // The field must keep the focus until the choice is made.
            "on": { pointerdown: (event) => event.preventDefault(), click: () => this.#choose(choice) },
          },
          h("span", { class: "choice-label" }, h("bdi", {}, choice.label)),
          h("span", { class: "choice-hint" }, choice.hint),
        )
      ),
    );
    this.#list.children[this.#active]?.scrollIntoView({ block: "nearest" });
  }

  #choose(choice: Choice<Value>): void {
    this.input.value = "";
    this.#options.onChoice(choice.value);
    this.#close();
  }

  /** Makes another option active. A closed list opens, with the first option active that there is. */
  #move(step: 1 | -1): void {
    if (this.#choices.length === 0) {
      this.#open();
      if (this.#active === 0) return;
    }
    const lowest = this.#lowest;
    const count = this.#choices.length - lowest;
    this.#active = (this.#active - lowest + step + count) % count + lowest;
    this.#draw();
  }

  async #takeText(text: string): Promise<void> {
    this.#close();
    const problem = await this.#options.problemOf(text);
    // The user may have changed the text in the meantime, or pressed Enter twice.
    if (this.input.value.trim() !== text) return;
    this.#problem.textContent = problem ?? "";
    if (problem !== undefined) return;
    this.input.value = "";
    this.#options.onText(text);
    // The field may have got the focus anew, which opens the list.
    this.#close();
  }

  #onKey(event: KeyboardEvent): void {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      this.#move(key === "ArrowDown" ? 1 : -1);
    } else if (key === "Enter") {
      event.preventDefault();
      const choice = this.#choices[this.#active];
      if (choice !== undefined) return this.#choose(choice);
      const text = this.input.value.trim();
      if (text !== "") void this.#takeText(text);
    } else if (key === "Escape") {
      event.stopPropagation();
      if (this.#choices.length > 0 && this.input.value !== "") this.#close();
      else this.input.blur();
    } else if (this.input.value === "") {
      const act = this.#options.emptyKeys?.[key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    }
  }
}
