import type { App, View } from "../frame/app.ts";
import { h, replace } from "../parts/dom.ts";
import { durationText, numberText } from "../parts/format.ts";
import { failingClientsCard } from "./failing_clients.ts";
import { HEALTH_NUMBERS, type HealthNumber, type Look } from "./health_numbers.ts";
import {
  type DebugDocument,
  type HealthDocument,
  queueCard,
  readsCard,
  stateCard,
  turnCard,
  writesCard,
} from "./health_now.ts";
import { type Family, parseMetrics } from "./metrics_text.ts";
import { notice } from "../parts/parts.ts";
import { Sparkline } from "./sparkline.ts";

const LOOK_MILLISECONDS = 1000;
const LOOKS = 60;

/** Rates and latencies span so many samples, so that they do not jump. */
const RATE_LOOKS = 5;

interface Tile {
  readonly element: HTMLElement;
  readonly value: HTMLElement;
  readonly spark: Sparkline;
}

/** The health of the store, drawn live. */
export class HealthView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #now = h("div", { class: "now-cards" });
  readonly #tiles = h("div", { class: "tiles" });
  readonly #all = h("tbody");
  readonly #problem = h("div", { role: "status" });
  readonly #known = new Map<HealthNumber, Tile>();
  #looks: Look[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isShown = false;
  /** Counts how often the view was shown, so that the sampling of an earlier time ends. */
  #turn = 0;

  constructor(app: App) {
    this.#app = app;
    this.element = h(
      "div",
      { "class": "view health-view", "tabindex": 0, "role": "region", "aria-label": "Health" },
      h("h2", { class: "unseen" }, "Health"),
      this.#problem,
      this.#now,
      this.#tiles,
      h(
        "details",
        { class: "all-metrics" },
        h("summary", {}, "All metrics"),
        h(
          "div",
          { "class": "table-part" },
          h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th", {}, "Metric"),
                h("th", {}, "Labels"),
                h("th", { class: "number" }, "Value"),
              ),
            ),
            this.#all,
          ),
        ),
      ),
    );
  }

  show(): void {
    if (this.#isShown) return;
    this.#isShown = true;
    void this.#look(++this.#turn);
  }

  hide(): void {
    this.#isShown = false;
    clearTimeout(this.#timer);
  }

  reload(): void {
    this.#looks = [];
  }

  async #look(turn: number): Promise<void> {
    try {
      if (!document.hidden) {
        const [debug, health, metrics] = await Promise.all([
          this.#app.calls.text("/debug"),
          // A server that cannot read its database still has numbers to show.
          this.#app.calls.text("/health").catch(() => "{}"),
          this.#app.calls.text("/metrics"),
        ]);
        this.#draw(JSON.parse(debug), JSON.parse(health), {
          metrics: parseMetrics(metrics),
          at: performance.now() / 1000,
        });
        replace(this.#problem);
      }
    } catch (error) {
      this.#looks = [];
      replace(this.#problem, notice("The store cannot be looked at", (error as Error).message));
    }
    if (!this.#isShown || turn !== this.#turn) return;
    this.#timer = setTimeout(() => void this.#look(turn), LOOK_MILLISECONDS);
  }

  #draw(debug: DebugDocument, health: HealthDocument, look: Look): void {
    const before = this.#looks.at(-RATE_LOOKS) ?? this.#looks[0];
    const cards = [turnCard(debug), queueCard(debug), readsCard(debug), stateCard(debug)];
    replace(this.#now, writesCard(health), failingClientsCard(look, before), ...cards);
    this.#looks.push(look);
    if (this.#looks.length > RATE_LOOKS) this.#looks.shift();
    for (const number of HEALTH_NUMBERS) this.#drawNumber(number, number.value(look, before));
    const table = this.#all.closest("details");
    if (table?.open) replace(this.#all, ...[...look.metrics.values()].flatMap(metricRows));
  }

  /** A tile appears with its first value. */
  #drawNumber(number: HealthNumber, value: number | undefined): void {
    let tile = this.#known.get(number);
    if (tile === undefined) {
      if (value === undefined) return;
      tile = tileOf(number);
      this.#known.set(number, tile);
      replace(this.#tiles, ...HEALTH_NUMBERS.map((known) => this.#known.get(known)?.element));
    }
    tile.value.textContent = value === undefined ? "\u2013" : number.text(value);
    tile.element.classList.toggle("bad", value !== undefined && number.isBad?.(value) === true);
    tile.spark.add(value);
  }
}

function tileOf({ label, about }: HealthNumber): Tile {
  const value = h("p", { class: "tile-value" });
  const spark = new Sparkline(LOOKS);
  const element = h(
    "section",
    { "class": "tile", "aria-label": label },
    h("h3", {}, label),
    value,
    h("p", { class: "tile-about" }, about),
  );
  element.append(spark.element);
  return { element, value, spark };
}

function metricRows(family: Family): HTMLElement[] {
  const row = (labels: string, value: string): HTMLElement =>
    h(
      "tr",
      {},
      h("td", { title: family.help }, family.name),
      h("td", {}, labels),
      h("td", { class: "number" }, value),
    );
  if (family.buckets.length > 0) {
    const mean = family.count === 0
      ? ""
      : `, mean ${
        family.name.endsWith("_seconds")
          ? durationText(family.sum / family.count)
          : numberText(family.sum / family.count)
      }`;
    return [row("", `${numberText(family.count)} measured${mean}`)];
  }
  return family.samples.map(({ labels, value }) =>
    row(Object.entries(labels).map(([name, text]) => `${name}=${text}`).join(", "), numberText(value))
  );
}
