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
  /** Called with a confirmed text that matches no option. Returns an error message, or undefined. */
  onText(text: string): string | undefined;
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

  #open(): void {
    this.#problem.textContent = "";
    this.#choices = this.#options.choices(this.input.value);
    this.#active = -1;
    this.#draw();
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

  #onKey(event: KeyboardEvent): void {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      if (this.#choices.length === 0) this.#open();
      const count = this.#choices.length + 1;
      this.#active = (this.#active + 1 + (key === "ArrowDown" ? 1 : count - 1)) % count - 1;
      this.#draw();
    } else if (key === "Enter") {
      event.preventDefault();
      const choice = this.#choices[this.#active];
      if (choice !== undefined) return this.#choose(choice);
      if (this.input.value.trim() === "") return;
      this.#problem.textContent = this.#options.onText(this.input.value.trim()) ?? "";
      if (this.#problem.textContent === "") this.input.value = "";
      this.#close();
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
