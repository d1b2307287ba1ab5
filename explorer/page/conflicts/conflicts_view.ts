import type { App, View } from "../frame/app.ts";
import { fragmentOf, START } from "../frame/route.ts";
import { tagText } from "../filter/tag.ts";
import { type Child, h, replace } from "../parts/dom.ts";
import { timeText, wholeText } from "../parts/format.ts";
import { notice, typeMark } from "../parts/parts.ts";
import { tableOf } from "../parts/table.ts";
import { visibleLine } from "../parts/visible_text.ts";
import { regularly } from "../parts/regularly.ts";
import { type Conflicts, filterOf, type RejectedWrite, rulesOf } from "./rejected_writes.ts";

const PAUSE_MILLISECONDS = 3000;
const RULES_MAX = 12;
const CHARACTERS_MAX = 200;

/** The last writes that were rejected, by rule, by hour, and one by one: they show which rule is contended. */
export class ConflictsView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #content = h("div", { class: "conflicts" });
  #drawn = "";
  #ending = new AbortController();

  constructor(app: App) {
    this.#app = app;
    this.element = h(
      "div",
      { "class": "view conflicts-view", "tabindex": 0, "role": "region", "aria-label": "Conflicts" },
      this.#content,
    );
  }

  show(): void {
    this.hide();
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    void regularly(PAUSE_MILLISECONDS, () => this.#read(signal), signal);
  }

  hide(): void {
    this.#ending.abort();
  }

  reload(): void {
    this.#drawn = "";
    this.show();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { calls, catalog, may } = this.#app;
    try {
      // Without it, types have no colours.
      if (catalog.current === undefined && may.includes("read")) await catalog.read(calls, signal);
      const text = await calls.text("/debug/conflicts", signal);
      if (signal.aborted || text === this.#drawn) return;
      this.#drawn = text;
      this.#draw(JSON.parse(text));
    } catch (error) {
      // The rows stay, since StoreCalls reports the failure.
      if (signal.aborted || this.#drawn !== "") return;
      replace(this.#content, notice("The conflicts could not be read", (error as Error).message));
    }
  }

  #draw({ conflicts, hours }: Conflicts): void {
    if (conflicts.length === 0) {
      const text =
        "Since the server started, no write was rejected because something that it had read has changed.";
      return replace(this.#content, notice("No conflicts", text));
    }
    const rules = rulesOf(conflicts).slice(0, RULES_MAX)
      .map(({ types, asks, count }) => [this.#types(types), visibleLine(asks), wholeText(count)]);
    const byHour = hours.flatMap(({ from, types }) =>
      types.map(({ type, count }) => {
        const { date, clock } = timeText(from);
        return [`${date} ${clock.slice(0, 5)}`, this.#types(type === "" ? [] : [type]), wholeText(count)];
      })
    );
    replace(
      this.#content,
      h("h2", { class: "view-title" }, "Contended rules"),
      h(
        "p",
        { class: "quiet" },
        `The last ${conflicts.length} writes that were rejected, by what they asked for.`,
      ),
      tableOf(["Decision", "It asked for", "Rejected"], rules, ["Rejected"]),
      h("h2", { class: "view-title" }, "By hour"),
      tableOf(["Hour", "Decision", "Rejected"], byHour, ["Rejected"]),
      h("h2", { class: "view-title" }, "One by one"),
      tableOf(["Time", "Decision", "It asked for", "Broken by"], conflicts.map((one) => this.#row(one))),
    );
  }

  #row(
    { time, types, query, isShortened, afterSequence = 0, sequence, cause, projection }: RejectedWrite,
  ): Child[] {
    const { date, clock } = timeText(time);
    const when = h("time", { datetime: time, title: time }, h("span", {}, date), " ", h("span", {}, clock));
    if (projection !== undefined) {
      const link = fragmentOf({ ...START, view: "projections", projection });
      const name = visibleLine(`${projection.type}/${projection.id}`.slice(0, CHARACTERS_MAX));
      const reason = cause === "exists" ? "it exists already" : "it has another version";
      return [when, this.#types(types), h("a", { href: link }, name), reason];
    }
    if (query === undefined || sequence === undefined) {
      return [when, this.#types(types), "the store that was read", "another store"];
    }
    const filter = filterOf(query);
    const route = { ...START, filter, isOldestFirst: true, position: afterSequence + 1 };
    const asked = h("a", { href: fragmentOf(route) }, queryText(filter, isShortened === true));
    const event = h("a", { href: fragmentOf({ ...START, open: sequence }) }, `#${sequence}`);
    return [when, this.#types(types), asked, event];
  }

  #types(types: readonly string[]): HTMLElement {
    if (types.length === 0) return h("span", { class: "quiet" }, "no events");
    const { catalog } = this.#app;
    return h(
      "span",
      {},
      ...types.flatMap((type, i) => [
        ...i === 0 ? [] : [", "],
        typeMark(catalog.colorIfKnown(type)),
        h("bdi", {}, visibleLine(type.slice(0, CHARACTERS_MAX))),
      ]),
    );
  }
}

function queryText({ alternatives }: ReturnType<typeof filterOf>, isShortened: boolean): string {
  const texts = alternatives.map(({ types, tags }) => [...types, ...tags.map(tagText)].join(" "));
  const text = texts.length === 0 ? "any event" : texts.join(" or ");
  const isCut = isShortened || text.length > CHARACTERS_MAX;
  return visibleLine(text.slice(0, CHARACTERS_MAX)) + (isCut ? " \u2026" : "");
}
