import type { Tag } from "../filter/tag.ts";
import { h } from "../parts/dom.ts";
import { button, menu } from "../parts/parts.ts";
import type { StoredEvent } from "../store/stored_event.ts";
import { type Column, COLUMNS, hiddenColumns, type Widths, widthsOf } from "./row_columns.ts";

const LABELS: Readonly<Record<Column, string>> = {
  time: "Time",
  type: "Type",
  identifiers: "Identifiers",
  metadata: "Metadata",
  payload: "Payload",
};

/** This browser stores the names of the hidden columns here. A column that comes later is shown. */
const NAME = "explorer-hidden-columns";

/** Columns are never narrower. */
const LEAST: Widths = { sequence: 7, type: 10, tags: 20 };

/** The columns of the list: a menu chooses them, and they have the widths of the widest rows, so that they are aligned. */
export class Columns {
  readonly menu: HTMLDetailsElement;
  readonly #hidden = hiddenColumns(localStorage.getItem(NAME));
  readonly #boxes = new Map<Column, HTMLInputElement>();
  readonly #onChange: () => void;
  #style: CSSStyleDeclaration | undefined;
  #widths = LEAST;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    const choices = COLUMNS.map((column) => {
      const box = h("input", { type: "checkbox", on: { change: () => this.#set(column, box.checked) } });
      box.checked = this.has(column);
      this.#boxes.set(column, box);
      return h("label", { class: "check" }, box, LABELS[column]);
    });
    this.menu = menu("Columns", ...choices, button("Show all", () => this.#showAll()));
    this.menu.classList.add("columns");
  }

  has(column: Column): boolean {
    return !this.#hidden.has(column);
  }

  /** Sets the least widths. @param list receives the widths from now on */
  reset(list: HTMLElement): void {
    this.#style = list.style;
    this.#widths = LEAST;
    for (const name of Object.keys(LEAST)) this.#style.removeProperty(`--${name}-width`);
  }

  /** Widens the columns for an event and its shown tags. */
  fit(event: StoredEvent, tags: readonly Tag[]): void {
    const widths = widthsOf(event, tags);
    for (const name of ["sequence", "type", "tags"] as const) {
      if (widths[name] <= this.#widths[name]) continue;
      this.#widths = { ...this.#widths, [name]: widths[name] };
      this.#style?.setProperty(`--${name}-width`, `${widths[name]}ch`);
    }
  }

  #set(column: Column, isShown: boolean): void {
    if (isShown) this.#hidden.delete(column);
    else this.#hidden.add(column);
    localStorage.setItem(NAME, [...this.#hidden].join(" "));
    this.#onChange();
  }

  #showAll(): void {
    this.#hidden.clear();
    for (const box of this.#boxes.values()) box.checked = true;
    localStorage.removeItem(NAME);
    this.#onChange();
  }
}
