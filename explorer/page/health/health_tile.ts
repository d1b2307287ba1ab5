import { h } from "../parts/dom.ts";
import { timeText } from "../parts/format.ts";
import { Chart } from "./chart.ts";
import type { HealthNumber } from "./health_numbers.ts";
import { type Point, type Range, Series } from "./series.ts";

/** A number with its drawing. The pointer over the drawing shows the value of that moment instead of the present one. */
export class HealthTile {
  readonly element: HTMLElement;
  readonly #number: HealthNumber;
  readonly #value = h("p", { class: "tile-value" });
  readonly #about: HTMLElement;
  readonly #chart = new Chart((point) => this.#show(point));
  readonly #series = new Series();
  #now: number | undefined;

  constructor(number: HealthNumber) {
    this.#number = number;
    const { label, about } = number;
    this.#about = h("p", { class: "tile-about" }, about);
    this.element = h(
      "section",
      { "class": "tile", "aria-label": label },
      h("h4", {}, label),
      this.#value,
      this.#about,
      this.#chart.element,
    );
  }

  /** @param at seconds since 1970 */
  add(at: number, value: number | undefined): void {
    this.#now = value;
    if (value !== undefined) this.#series.add(at, value);
  }

  draw(at: number, range: Range): void {
    this.#show(this.#chart.draw(this.#series, range, at, this.#number.text));
    const { isBad, isWarning } = this.#number;
    const now = this.#now;
    this.element.classList.toggle("bad", now !== undefined && isBad?.(now) === true);
    this.element.classList.toggle("warn", isWarning === true && now !== undefined && now > 0);
  }

  #show(point: Point | undefined): void {
    const value = point?.value ?? this.#now;
    this.#value.textContent = value === undefined ? "\u2013" : this.#number.text(value);
    const then = point && timeText(new Date(1000 * point.at).toISOString());
    this.#about.textContent = then === undefined
      ? this.#number.about
      : `${then.date} ${then.clock.slice(0, 8)}`;
  }
}
