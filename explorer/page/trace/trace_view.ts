import type { App, View } from "../frame/app.ts";
import { Combobox } from "../parts/combobox.ts";
import { h, replace } from "../parts/dom.ts";
import { NOTHING_ASKED } from "../filter/filter.ts";
import { queryOf } from "../filter/query.ts";
import { isSameTag, NO_TAG, type Tag, tagOf, tagText } from "../filter/tag.ts";
import { durationText, timeText } from "../parts/format.ts";
import { button, notice, tagButton, typeMark } from "../parts/parts.ts";
import { prettyParts } from "../parts/payload.ts";
import { fragmentOf, type Route, START } from "../frame/route.ts";
import type { Suggestion } from "../filter/seen.ts";
import { choiceOf } from "../filter/suggestion_choice.ts";
import { forgottenText, type StoredEvent, tagsOf, timeOf } from "../store/stored_event.ts";
import { visibleLine, visibleText } from "../parts/visible_text.ts";

const PAGE = 200;
const SUGGESTIONS_MAX = 12;
/** An item of the story shows so many characters of a payload. */
const CHARACTERS_MAX = 1500;
const ONE_LINE_CHARACTERS_MAX = 200;

/** All events with a tag, as a story from the first to the last. */
export class TraceView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #combobox: Combobox<Suggestion>;
  readonly #story = h("div", {
    "class": "story-part",
    "tabindex": 0,
    "role": "region",
    "aria-label": "Story",
  });
  readonly #title = h("h2", { class: "view-title" });
  #shown: Tag | undefined;
  #ending = new AbortController();

  constructor(app: App) {
    this.#app = app;
    this.#combobox = new Combobox<Suggestion>({
      id: "trace",
      label: "Trace a tag",
      placeholder: "Trace: name=value, or @name=value",
      choices: (text) =>
        app.seen.suggestions(text, NOTHING_ASKED, 500).filter(({ what }) => what === "tag")
          .slice(0, SUGGESTIONS_MAX).map(choiceOf),
      onChoice: (choice) => choice.what === "tag" && app.go({ trace: choice.tag }),
      isWhole: (text) => tagOf(text) !== undefined,
      problemOf: (text) => tagOf(text) === undefined ? NO_TAG : undefined,
      onText: (text) => app.go({ trace: tagOf(text) }),
    });
    this.element = h(
      "div",
      { class: "view trace-view" },
      h("div", { class: "toolbar" }, h("div", { class: "filter-bar" }, this.#combobox.element)),
      this.#title,
      this.#story,
    );
  }

  show({ trace }: Route): void {
    if (trace === undefined) {
      this.#shown = undefined;
      this.#title.hidden = true;
      const text =
        "Choose a tag, such as an order or a correlation ID: its events are told from the first to the last.";
      return replace(this.#story, notice("What happened to ...?", text));
    }
    if (this.#shown !== undefined && isSameTag(trace, this.#shown)) return;
    this.#shown = trace;
    this.#title.hidden = false;
    replace(
      this.#title,
      h("span", { class: "quiet" }, visibleLine(`${trace.name} `)),
      h("bdi", {}, visibleLine(trace.value)),
    );
    void this.#read(trace);
  }

  hide(): void {
    this.#shown = undefined;
    this.#ending.abort();
  }

  reload(): void {
    this.#shown = undefined;
    this.show(this.#app.route);
  }

  onKey(key: string): boolean {
    if (key !== "/") return false;
    this.#combobox.input.focus();
    return true;
  }

  async #read(tag: Tag): Promise<void> {
    this.#ending.abort();
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const list = h("ol", { class: "story" });
    replace(this.#story, h("p", { class: "quiet" }, "Reading \u2026"));
    const query = queryOf({ alternatives: [{ types: [], tags: [tag] }] }, this.#app.facts.edition);
    const { catalog, calls } = this.#app;
    // Without the catalog, the types have no colours.
    if (catalog.current === undefined) await catalog.read(calls, signal).catch(() => {});
    let last: StoredEvent | undefined;
    const more = async (): Promise<void> => {
      try {
        const page = await this.#app.calls.events(
          { query, afterSequence: last?.sequence ?? 0, limit: PAGE },
          signal,
        );
        for (const event of page.events) {
          this.#app.seen.add(event);
          list.append(this.#item(event, last, tag));
          last = event;
        }
        const onward = page.hasMore
          ? button(`Show ${PAGE} more`, () => {
            // A second press would read the same again.
            onward!.disabled = true;
            void more();
          })
          : undefined;
        if (last === undefined) {
          replace(this.#story, notice("No events", "No event of the store has this tag."));
        } else replace(this.#story, list, onward);
      } catch (error) {
        if (!signal.aborted) {
          replace(this.#story, list, notice("The events could not be read", (error as Error).message));
        }
      }
    };
    await more();
  }

  #item(event: StoredEvent, before: StoredEvent | undefined, traced: Tag): HTMLElement {
    const { date, clock } = timeText(event.time);
    const gap = before === undefined ? undefined : (timeOf(event) - timeOf(before)) / 1000;
    const others = tagsOf(event).filter((tag) => !isSameTag(tag, traced));
    const payload = forgottenText(event) ?? storyPayload(event.payload);
    const isCut = payload.length > CHARACTERS_MAX;
    return h(
      "li",
      { class: "story-item" },
      h("span", { class: "story-gap" }, gap === undefined ? "" : `+ ${durationText(Math.max(0, gap))}`),
      h(
        "div",
        { class: "story-card" },
        h(
          "div",
          { class: "story-head" },
          h("h3", {}, typeMark(this.#app.catalog.colorOf(event.type)), h("bdi", {}, visibleLine(event.type))),
          h("time", { class: "quiet", datetime: event.time, title: event.time }, `${date} ${clock}`),
          h(
            "a",
            { class: "quiet", href: fragmentOf({ ...START, open: event.sequence }) },
            `#${event.sequence}`,
          ),
        ),
        others.length === 0 ? undefined : h(
          "div",
          { class: "story-tags" },
          ...others.map((tag) =>
            tagButton(
              tag,
              `trace ${visibleLine(tagText(tag).slice(0, 200))}`,
              () => this.#app.go({ trace: tag }),
            )
          ),
        ),
        payload === "" ? undefined : h(
          "pre",
          { "class": "payload", "tabindex": 0, "aria-label": `payload of #${event.sequence}` },
          visibleText(payload.slice(0, CHARACTERS_MAX)) + (isCut ? " \u2026" : ""),
        ),
      ),
    );
  }
}

/** A short payload on one line; a longer one in lines when it is JSON. */
function storyPayload(payload: string): string {
  if (payload.length <= ONE_LINE_CHARACTERS_MAX) return payload;
  return prettyParts(payload)?.map(({ text }) => text).join("") ?? payload;
}
