import type { App, View } from "../frame/app.ts";
import { h, replace } from "../parts/dom.ts";
import { durationText, numberText, wholeText } from "../parts/format.ts";
import { failingClientsCard } from "./failing_clients.ts";
import { HEALTH_GROUPS, type HealthGroup, type HealthNumber, type Look } from "./health_numbers.ts";
import {
  type DebugDocument,
  type HealthDocument,
  queueCard,
  readsCard,
  stateCard,
  writesCard,
  writingCard,
} from "./health_now.ts";
import { HealthTile } from "./health_tile.ts";
import { type Family, parseMetrics, valueOf } from "./metrics_text.ts";
import { notice } from "../parts/parts.ts";
import { regularly, sleep } from "../parts/regularly.ts";
import { visibleLine } from "../parts/visible_text.ts";
import { RANGES } from "./series.ts";

const LOOK_MILLISECONDS = 1000;

/** While another view is shown, only the drawings continue. */
const HIDDEN_LOOK_MILLISECONDS = 10_000;

/** Rates and latencies span so many samples, so that they do not jump. */
const RATE_LOOKS = 5;

/** The health of the store, drawn live, in groups. */
export class HealthView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #facts = h("span", { class: "quiet" });
  readonly #range = h(
    "select",
    { "aria-label": "Time shown", "on": { change: () => this.#drawTiles() } },
    ...RANGES.map(({ name }, i) => h("option", { value: i }, name)),
  );
  readonly #now = h("div", { class: "now-cards" });
  readonly #groups: readonly ShownGroup[] = HEALTH_GROUPS.map((group) => new ShownGroup(group));
  readonly #all = h("tbody");
  readonly #problem = h("div", { role: "status" });
  #looks: Look[] = [];
  #isShown = false;
  /** Ends the reads of the time before the view was shown or hidden. */
  #ending = new AbortController();

  constructor(app: App) {
    this.#app = app;
    const heads = [h("th", {}, "Metric"), h("th", {}, "Labels"), h("th", { class: "number" }, "Value")];
    this.element = h(
      "div",
      { "class": "view health-view", "tabindex": 0, "role": "region", "aria-label": "Health" },
      h("h2", { class: "unseen" }, "Health"),
      h("div", { class: "health-head" }, this.#facts, h("span", { class: "spring" }), this.#range),
      this.#problem,
      this.#now,
      ...this.#groups.map(({ element }) => element),
      h(
        "details",
        { class: "all-metrics" },
        h("summary", {}, "All metrics"),
        h(
          "div",
          { class: "table-part" },
          h("table", {}, h("thead", {}, h("tr", {}, ...heads)), this.#all),
        ),
      ),
    );
  }

  show(): void {
    if (this.#isShown) return;
    this.#isShown = true;
    const signal = this.#begin();
    void regularly(LOOK_MILLISECONDS, () => this.#look(() => this.#read()), signal);
  }

  hide(): void {
    this.#isShown = false;
    const signal = this.#begin();
    const look = (): Promise<void> => this.#look(() => this.#sample());
    void sleep(HIDDEN_LOOK_MILLISECONDS, signal).then(() =>
      regularly(HIDDEN_LOOK_MILLISECONDS, look, signal)
    );
  }

  reload(): void {
    this.#looks = [];
  }

  #begin(): AbortSignal {
    this.#ending.abort();
    this.#ending = new AbortController();
    return this.#ending.signal;
  }

  async #look(read: () => Promise<unknown>): Promise<void> {
    try {
      await read();
      replace(this.#problem);
    } catch (error) {
      this.#looks = [];
      // What was read stays: the page says above that the store does not answer.
      if (this.#groups.every(({ isEmpty }) => isEmpty)) {
        replace(this.#problem, notice("The store cannot be looked at", (error as Error).message));
      }
    }
  }

  async #read(): Promise<void> {
    const { calls } = this.#app;
    const [debug, health, look] = await Promise.all([
      calls.text("/debug"),
      // A server that cannot read its database still has numbers to show.
      calls.text("/health").catch(() => "{}"),
      this.#sample(),
    ]);
    this.#draw(JSON.parse(debug), JSON.parse(health), look);
  }

  /** Adds the present numbers to the drawings. */
  async #sample(): Promise<Look> {
    const metrics = parseMetrics(await this.#app.calls.text("/metrics"));
    const look = { metrics, at: Date.now() / 1000 };
    const before = this.#looks.at(-RATE_LOOKS) ?? this.#looks[0];
    this.#looks.push(look);
    if (this.#looks.length > RATE_LOOKS) this.#looks.shift();
    for (const group of this.#groups) group.add(look, before);
    return look;
  }

  #draw(debug: DebugDocument, health: HealthDocument, look: Look): void {
    const cards = [writingCard(debug), queueCard(debug), readsCard(debug), stateCard(debug)];
    replace(this.#now, writesCard(health), failingClientsCard(look, this.#looks.at(-2)), ...cards);
    this.#facts.textContent = factsOf(look, health);
    this.#drawTiles();
    const table = this.#all.closest("details");
    if (table?.open) replace(this.#all, ...[...look.metrics.values()].flatMap(metricRows));
  }

  #drawTiles(): void {
    const range = RANGES[Number(this.#range.value)] ?? RANGES[0];
    for (const group of this.#groups) group.draw(Date.now() / 1000, range);
  }
}

/** A group of tiles. A tile appears with its first value, and the group with its first tile. */
class ShownGroup {
  readonly element: HTMLElement;
  readonly #group: HealthGroup;
  readonly #tiles = h("div", { class: "tiles" });
  readonly #known = new Map<HealthNumber, HealthTile>();

  constructor(group: HealthGroup) {
    this.#group = group;
    this.element = h(
      "section",
      { "class": "health-group", "aria-label": group.name, "hidden": true },
      h("h3", {}, group.name),
      this.#tiles,
    );
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  add(look: Look, before: Look | undefined): void {
    for (const number of this.#group.numbers) {
      const value = number.value(look, before);
      if (value !== undefined && !this.#known.has(number)) this.#appear(number);
      this.#known.get(number)?.add(look.at, value);
    }
  }

  draw(at: number, range: typeof RANGES[number]): void {
    for (const tile of this.#known.values()) tile.draw(at, range);
  }

  #appear(number: HealthNumber): void {
    this.#known.set(number, new HealthTile(number));
    const tiles = this.#group.numbers.map((known) => this.#known.get(known)?.element);
    replace(this.#tiles, ...tiles);
    this.element.hidden = false;
  }
}

/** Since when the server runs, its version, and the last sequence. */
function factsOf({ metrics, at }: Look, { version }: HealthDocument): string {
  const started = valueOf(metrics, "process_start_time_seconds");
  const last = valueOf(metrics, "service_last_sequence");
  return [
    ...started === undefined ? [] : [`up for ${durationText(Math.max(0, Math.round(at - started)))}`],
    ...version === undefined ? [] : [`version ${visibleLine(version)}`],
    ...last === undefined ? [] : [`last sequence ${wholeText(last)}`],
  ].join(", ");
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
