import { h, setAttribute, svg } from "../parts/dom.ts";
import type { Point, Range, Series } from "./series.ts";

const WIDTH = 240;
const HEIGHT = 48;
/** The line keeps this distance from the edges. */
const MARGIN = 2;

/** A drawing of a number over time, with axes. The pointer shows the value of a moment. */
export class Chart {
  readonly element: HTMLElement;
  readonly #area = svg("path", { class: "chart-area" });
  readonly #line = svg("path", { class: "chart-line", "vector-effect": "non-scaling-stroke" });
  readonly #cursor = svg("path", { class: "chart-cursor", "vector-effect": "non-scaling-stroke" });
  readonly #highest = h("span", { class: "chart-highest" });
  readonly #from = h("span");
  #points: readonly Point[] = [];
  #begin = 0;
  #seconds = 1;
  #share: number | undefined;

  /** @param onPoint called with the moment under the pointer, and with undefined when there is none */
  constructor(onPoint: (point: Point | undefined) => void) {
    const plot = h(
      "div",
      { class: "chart-plot" },
      svg(
        "svg",
        { "viewBox": `0 0 ${WIDTH} ${HEIGHT}`, "preserveAspectRatio": "none", "aria-hidden": "true" },
        this.#area,
        this.#line,
        this.#cursor,
      ),
      this.#highest,
    );
    const show = (): void => onPoint(this.#drawCursor());
    plot.addEventListener("pointermove", (event) => {
      const { left, width } = plot.getBoundingClientRect();
      this.#share = (event.clientX - left) / width;
      show();
    });
    plot.addEventListener("pointerleave", () => {
      this.#share = undefined;
      show();
    });
    const axis = h("div", { class: "chart-axis" }, this.#from, h("span", {}, "now"));
    this.element = h("div", { class: "chart" }, plot, axis);
  }

  /**
   * Draws a series.
   * @param now the time at the right edge, in seconds since 1970
   * @returns the moment under the pointer
   */
  draw(series: Series, range: Range, now: number, textOf: (value: number) => string): Point | undefined {
    const { points, gapSeconds } = series.pointsOf(range);
    this.#points = points;
    this.#begin = now - range.seconds;
    this.#seconds = range.seconds;
    const highest = Math.max(...points.map(({ value }) => value), 0);
    this.#highest.textContent = textOf(highest);
    this.#from.textContent = `${range.name} ago`;
    const y = (value: number): number =>
      HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (highest === 0 ? 0 : value / highest);
    let line = "";
    let area = "";
    for (const [i, { at, value }] of points.entries()) {
      const before = points[i - 1];
      const place = `${this.#x(at)} ${y(value).toFixed(1)}`;
      const isGap = before === undefined || at - before.at > gapSeconds;
      if (isGap && before !== undefined) area += `V${HEIGHT}Z`;
      line += `${isGap ? "M" : "L"}${place}`;
      area += isGap ? `M${this.#x(at)} ${HEIGHT}L${place}` : `L${place}`;
    }
    setAttribute(this.#line, "d", line);
    setAttribute(this.#area, "d", area === "" ? "" : `${area}V${HEIGHT}Z`);
    return this.#drawCursor();
  }

  #x(at: number): string {
    return (WIDTH * Math.max(0, at - this.#begin) / this.#seconds).toFixed(1);
  }

  #drawCursor(): Point | undefined {
    const point = this.#share === undefined ? undefined : this.#nearest(this.#share);
    setAttribute(this.#cursor, "d", point === undefined ? "" : `M${this.#x(point.at)} 0V${HEIGHT}`);
    return point;
  }

  #nearest(share: number): Point | undefined {
    const at = this.#begin + share * this.#seconds;
    const distance = (point: Point): number => Math.abs(point.at - at);
    const [first, ...others] = this.#points;
    return first && others.reduce((best, point) => distance(point) < distance(best) ? point : best, first);
  }
}
