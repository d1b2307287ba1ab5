import { setAttribute, svg } from "../parts/dom.ts";

const WIDTH = 120;
const HEIGHT = 28;

/** A line without axes that shows a number over the last minutes. */
export class Sparkline {
  readonly element: SVGElement = svg("svg", {
    "class": "sparkline",
    "viewBox": `0 0 ${WIDTH} ${HEIGHT}`,
    "preserveAspectRatio": "none",
    "aria-hidden": "true",
  });
  readonly #area = svg("path", { class: "spark-area" });
  readonly #line = svg("path", { class: "spark-line", "vector-effect": "non-scaling-stroke" });
  readonly #values: (number | undefined)[] = [];
  readonly #max: number;

  /** @param max number of values; the newest is at the right edge */
  constructor(max: number) {
    this.#max = max;
    this.element.append(this.#area, this.#line);
  }

  add(value: number | undefined): void {
    this.#values.push(value);
    if (this.#values.length > this.#max) this.#values.shift();
    const highest = Math.max(...this.#values.map((known) => known ?? 0)) || 1;
    const points = this.#values.map((known, i): [number, number] => [
      WIDTH - (this.#values.length - 1 - i) * WIDTH / (this.#max - 1),
      HEIGHT - 1 - (HEIGHT - 3) * (known ?? 0) / highest,
    ]);
    const line = points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    setAttribute(this.#line, "d", line);
    setAttribute(this.#area, "d", `${line}L${WIDTH} ${HEIGHT}L${points[0]![0].toFixed(1)} ${HEIGHT}Z`);
  }
}
