import type { App } from "../frame/app.ts";
import { h, replace, setAttribute, svg } from "../parts/dom.ts";
import type { Filter } from "../filter/filter.ts";
import { durationText, partsOf, wholeText } from "../parts/format.ts";
import { button } from "../parts/parts.ts";
import { type Bar, countByTime, type TimeSearch } from "./time_search.ts";

const BARS_MAX = 90;
const HEIGHT = 48;
/** The widths that a bar may have, in seconds: an axis of round times. */
const WIDTHS = [
  0.01,
  0.05,
  0.1,
  0.5,
  1,
  5,
  10,
  30,
  60,
  300,
  600,
  1800,
  3600,
  3 * 3600,
  6 * 3600,
  12 * 3600,
  86_400,
  7 * 86_400,
  30 * 86_400,
  365 * 86_400,
];
const AGAIN_MILLISECONDS = 5000;
/** A brush that moved less was a press. */
const BRUSH_PIXELS_MIN = 4;

/** How many events came when. Drawing a brush over it narrows the list to that time. */
export class Timeline {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #search: () => TimeSearch;
  readonly #drawing = svg("svg", {
    "class": "timeline-bars",
    "role": "img",
    "aria-label": "not counted yet",
    "preserveAspectRatio": "none",
  });
  readonly #caption = h("span", { class: "timeline-caption" });
  readonly #whole: HTMLButtonElement;
  readonly #axis = h("div", { class: "timeline-axis" });
  readonly #brush = h("div", { class: "timeline-brush", hidden: true });
  readonly #plot: HTMLElement;
  #bars: readonly Bar[] = [];
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App, search: () => TimeSearch) {
    this.#app = app;
    this.#search = search;
    this.#whole = button("Whole store", () => this.#set(undefined, undefined), { class: "link" });
    this.#plot = h(
      "div",
      { class: "timeline-plot", title: "drag to choose a time" },
      this.#drawing,
      this.#brush,
    );
    this.element = h(
      "section",
      { "class": "timeline", "aria-label": "Events over time" },
      h("div", { class: "timeline-head" }, this.#caption, h("span", { class: "spring" }), this.#whole),
      this.#plot,
      this.#axis,
    );
    this.#listen();
  }

  /** Counts anew, and again from time to time while events may come. */
  async show(filter: Filter): Promise<void> {
    const turn = ++this.#turn;
    clearTimeout(this.#timer);
    this.#whole.hidden = filter.from === undefined && filter.before === undefined;
    try {
      const counted = await this.#count(filter);
      if (turn !== this.#turn) return;
      this.element.hidden = counted === undefined;
      if (counted !== undefined) this.#draw(counted.bars, counted.width);
    } catch {
      // Whoever hears of failures has been told.
    }
    const mayGrow = filter.before === undefined && turn === this.#turn;
    if (mayGrow) this.#timer = setTimeout(() => void this.show(filter), AGAIN_MILLISECONDS);
  }

  hide(): void {
    this.#turn++;
    clearTimeout(this.#timer);
  }

  async #count({ from, before }: Filter): Promise<{ bars: Bar[]; width: number } | undefined> {
    const { calls, facts } = this.#app;
    const query = facts.edition === "B" ? "all" : "*";
    const newest = await calls.events({ query, backwards: true, limit: 1 });
    const last = newest.events[0];
    if (last === undefined) return undefined;
    const search = this.#search();
    const lastTime = Date.parse(last.time);
    search.learn(last.sequence, lastTime);
    const begin = from ?? await search.timeOf(1);
    const end = before ?? Math.max(lastTime + 1, begin + 100);
    const span = Math.max(end - begin, 1) / 1000;
    const width = 1000 * (WIDTHS.find((width) => span / width <= BARS_MAX - 1) ?? span / BARS_MAX);
    const first = Math.floor(begin / width) * width;
    const bars = Math.min(BARS_MAX, Math.max(1, Math.ceil((end - first) / width)));
    const all = { from: first, before: first + bars * width };
    return { bars: await countByTime(search, all, bars, last.sequence), width };
  }

  #draw(bars: readonly Bar[], width: number): void {
    this.#bars = bars;
    const most = Math.max(1, ...bars.map(({ count }) => count));
    const all = bars.reduce((sum, { count }) => sum + count, 0);
    setAttribute(this.#drawing, "viewBox", `0 0 ${bars.length} ${HEIGHT}`);
    replace(
      this.#drawing,
      ...bars.map(({ count }, i) => {
        const height = count === 0 ? 0 : Math.max(1.5, HEIGHT * count / most);
        const bar = svg("rect", { x: i + 0.1, y: HEIGHT - height, width: 0.8, height });
        return bar;
      }),
    );
    const caption = `${wholeText(all)} events, at most ${wholeText(most)} in ${
      durationText(width / 1000).replace(/ 0 \w+$/, "")
    }`;
    this.#caption.textContent = caption;
    setAttribute(this.#drawing, "aria-label", caption);
    const last = bars.at(-1)!;
    replace(
      this.#axis,
      ...[bars[0]!.from, (bars[0]!.from + last.before) / 2, last.before].map((time) =>
        this.#label(time, width)
      ),
    );
  }

  #label(time: number, width: number): HTMLElement {
    const { date, clock } = partsOf(new Date(time));
    const text = width >= 86_400_000 ? date : `${date.slice(5)} ${width < 1000 ? clock : clock.slice(0, 8)}`;
    return h("span", {}, text);
  }

  #set(from: number | undefined, before: number | undefined): void {
    const { filter } = this.#app.route;
    this.#app.go({ filter: { ...filter, from, before }, position: undefined });
  }

  #listen(): void {
    const plot = this.#plot;
    let start: number | undefined;
    const share = (event: PointerEvent): number => {
      const { left, width } = plot.getBoundingClientRect();
      return Math.min(1, Math.max(0, (event.clientX - left) / width));
    };
    plot.addEventListener("pointerdown", (event) => {
      if (this.#bars.length === 0 || event.button !== 0) return;
      start = share(event);
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointermove", (event) => {
      if (start === undefined) return;
      const [low, high] = [start, share(event)].sort((a, b) => a - b) as [number, number];
      this.#brush.hidden = false;
      this.#brush.style.left = `${100 * low}%`;
      this.#brush.style.width = `${100 * (high - low)}%`;
    });
    plot.addEventListener("pointercancel", () => {
      start = undefined;
      this.#brush.hidden = true;
    });
    plot.addEventListener("pointerup", (event) => {
      this.#brush.hidden = true;
      if (start === undefined) return;
      const [low, high] = [start, share(event)].sort((a, b) => a - b) as [number, number];
      start = undefined;
      if ((high - low) * plot.clientWidth >= BRUSH_PIXELS_MIN) this.#choose(low, high);
    });
  }

  /** Bars that were touched are in as a whole. */
  #choose(low: number, high: number): void {
    const last = this.#bars.length - 1;
    const first = this.#bars[Math.min(last, Math.floor(low * (last + 1)))]!;
    const end = this.#bars[Math.min(last, Math.max(0, Math.ceil(high * (last + 1)) - 1))]!;
    this.#set(Math.round(first.from), Math.round(end.before));
  }
}
