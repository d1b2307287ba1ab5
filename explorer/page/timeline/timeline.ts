import type { Filter } from "../filter/filter.ts";
import type { App } from "../frame/app.ts";
import { h, replace, setAttribute, svg } from "../parts/dom.ts";
import { durationText, partsOf, wholeText } from "../parts/format.ts";
import { button } from "../parts/parts.ts";
import type { ReadPage } from "../store/store_calls.ts";
import type { Bar } from "./axis.ts";
import { brushOver } from "./brush.ts";
import type { Positions } from "./positions.ts";
import { type Counted, TimelineCount } from "./timeline_count.ts";
import { sleep, untilVisible } from "../parts/regularly.ts";

const HEIGHT = 48;
/** The pause before the next count. */
const PAUSE_MILLISECONDS = 5000;

/** The matching events over time. Dragging over the bars narrows the list to that time range. */
export class Timeline {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #positions: () => Positions;
  readonly #drawing = svg("svg", {
    "class": "timeline-bars",
    "role": "img",
    "aria-label": "not counted yet",
    "preserveAspectRatio": "none",
  });
  readonly #caption = h("span", { class: "timeline-caption" });
  readonly #whole: HTMLButtonElement;
  readonly #axis = h("div", { class: "timeline-axis" });
  #bars: readonly Bar[] = [];
  #ending = new AbortController();

  constructor(app: App, positions: () => Positions) {
    this.#app = app;
    this.#positions = positions;
    this.#whole = button("Whole store", () => this.#set(undefined, undefined), { class: "link" });
    const plot = h("div", { class: "timeline-plot", title: "drag to choose a time" }, this.#drawing);
    this.element = h(
      "section",
      { "class": "timeline", "aria-label": "Events over time" },
      h("div", { class: "timeline-head" }, this.#caption, h("span", { class: "spring" }), this.#whole),
      plot,
      this.#axis,
    );
    brushOver(plot, (low, high) => this.#choose(low, high));
  }

  /** Stops counting, before the view shows something else. */
  stop(): void {
    this.#ending.abort();
  }

  /** Counts now, and then regularly while new events are possible. */
  show(filter: Filter): void {
    this.stop();
    this.#ending = new AbortController();
    // Until the next drawing, the bars belong to the old filter.
    this.element.ariaBusy = "true";
    this.#whole.hidden = filter.from === undefined && filter.before === undefined;
    void this.#run(filter, this.#ending.signal);
  }

  async #run(filter: Filter, signal: AbortSignal): Promise<void> {
    const { calls, facts, seesAll } = this.#app;
    const read: ReadPage = async (request) => {
      await untilVisible(signal);
      return await calls.events(request, signal);
    };
    const count = new TimelineCount(read, filter, facts.edition, this.#positions(), seesAll);
    for (;;) {
      let counted: Counted | undefined;
      let hasFailed = false;
      try {
        counted = await count.look();
      } catch {
        // StoreCalls has already reported the failure.
        hasFailed = true;
      }
      if (signal.aborted) return;
      if (!hasFailed) this.#draw(counted);
      if (filter.before !== undefined && !hasFailed) return;
      await sleep(PAUSE_MILLISECONDS, signal);
    }
  }

  #draw(counted: Counted | undefined): void {
    this.element.ariaBusy = "false";
    this.element.hidden = counted === undefined;
    if (counted === undefined) return;
    const { bars, axis } = counted;
    this.#bars = bars;
    const most = Math.max(1, ...bars.map(({ count }) => count));
    setAttribute(this.#drawing, "viewBox", `0 0 ${bars.length} ${HEIGHT}`);
    replace(this.#drawing, ...bars.map((bar, i) => this.#bar(bar, i, most, axis.width)));
    const total = this.#app.catalog.totalOf(this.#app.route.filter);
    const caption = captionOf(bars, most, axis.width, total);
    this.#caption.textContent = caption;
    setAttribute(this.#drawing, "aria-label", caption);
    const [first, last] = [bars[0]!, bars.at(-1)!];
    const times = [first.from, (first.from + last.before) / 2, last.before];
    replace(this.#axis, ...times.map((time) => h("span", {}, timeLabel(time, axis.width))));
  }

  #bar({ from, count, isEstimated }: Bar, i: number, most: number, width: number): SVGElement {
    const height = count === 0 ? 0 : Math.max(1.5, HEIGHT * count / most);
    const about = isEstimated ? "about " : "";
    const text = `${timeLabel(from, width)}: ${about}${wholeText(count)} in ${widthText(width)}`;
    const rect = { x: i + 0.1, y: HEIGHT - height, width: 0.8, height };
    return svg(
      "g",
      { class: isEstimated ? "estimated" : "counted" },
      // The space above a low bar shows the same title.
      svg("rect", { class: "bar-space", x: i, y: 0, width: 1, height: HEIGHT }),
      svg("rect", { class: "bar", ...rect }),
      svg("title", {}, text),
    );
  }

  #set(from: number | undefined, before: number | undefined): void {
    const { filter } = this.#app.route;
    this.#app.go({ filter: { ...filter, from, before }, position: undefined });
  }

  /** Narrows the time range to the touched bars. The result never exceeds the present range. */
  #choose(low: number, high: number): void {
    const count = this.#bars.length;
    if (count === 0) return;
    const first = this.#bars[Math.min(count - 1, Math.floor(low * count))]!;
    const last = this.#bars[Math.min(count - 1, Math.max(0, Math.ceil(high * count) - 1))]!;
    const { from = -Infinity, before = Infinity } = this.#app.route.filter;
    this.#set(Math.max(from, Math.round(first.from)), Math.min(before, Math.round(last.before)));
  }
}

/** @param total the number of events, if it is known although some bars are estimates */
function captionOf(bars: readonly Bar[], most: number, width: number, total: number | undefined): string {
  const hasEstimates = bars.some(({ isEstimated }) => isEstimated);
  const isEstimated = hasEstimates && total === undefined;
  const all = hasEstimates && total !== undefined ? total : bars.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return "0 events";
  const isMostEstimated = bars.some((bar) => bar.isEstimated && bar.count === most);
  const about = (is: boolean): string => is ? "about " : "";
  return `${about(isEstimated)}${wholeText(all)} event${all === 1 ? "" : "s"}, ` +
    `at most ${about(isMostEstimated)}${wholeText(most)} in ${widthText(width)}` +
    (hasEstimates ? "; faint bars are estimates" : "");
}

function widthText(width: number): string {
  return durationText(width / 1000).replace(/ 0 \w+$/, "");
}

function timeLabel(time: number, width: number): string {
  const { date, clock } = partsOf(new Date(time));
  return width >= 86_400_000 ? date : `${date.slice(5)} ${width < 1000 ? clock : clock.slice(0, 8)}`;
}
