import type { App } from "../frame/app.ts";
import { h, replace } from "../parts/dom.ts";
import { narrowedToTag, narrowedToType } from "../filter/filter.ts";
import { everything } from "../filter/query.ts";
import { timeText } from "../parts/format.ts";
import { button, notice, tagButton, typeMark } from "../parts/parts.ts";
import { payloadView } from "../parts/payload_view.ts";
import { fragmentOf, START } from "../frame/route.ts";
import { type StoredEvent, tagsOf } from "../store/stored_event.ts";
import { escapedJson, visibleLine } from "../parts/visible_text.ts";

/** The open event with its whole payload, next to the list or above it. */
export class EventPanel {
  readonly element: HTMLElement = h("aside", { "class": "panel", "aria-label": "Event", "hidden": true });
  readonly #app: App;
  readonly #onClose: () => void;
  #shown: number | undefined;
  #ending = new AbortController();

  constructor(app: App, onClose: () => void) {
    this.#app = app;
    this.#onClose = onClose;
  }

  /** Forgets the shown event because the store has changed. */
  clear(): void {
    this.#shown = undefined;
  }

  async show(sequence: number | undefined): Promise<void> {
    if (sequence === this.#shown) return;
    this.#shown = sequence;
    this.#ending.abort();
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.element.hidden = sequence === undefined;
    if (sequence === undefined) return replace(this.element);
    try {
      const request = { query: everything(this.#app.facts.edition), afterSequence: sequence - 1, limit: 1 };
      const { events: [event] } = await this.#app.calls.events(request, signal);
      if (signal.aborted) return;
      if (event?.sequence === sequence) this.#draw(event);
      else this.#drawNotice(sequence, "No such event", "The store has no event with this sequence.");
    } catch (error) {
      if (signal.aborted) return;
      this.#shown = undefined;
      this.#drawNotice(sequence, "The event could not be read", (error as Error).message);
    }
  }

  #head(sequence: number): HTMLElement {
    return h(
      "div",
      { class: "panel-head" },
      h("span", { class: "panel-sequence" }, `#${sequence}`),
      h("span", { class: "spring" }),
      button("\u2715", this.#onClose, {
        "class": "button icon panel-close",
        "aria-label": "Close (Escape)",
        "title": "Close (Escape)",
      }),
    );
  }

  #drawNotice(sequence: number, title: string, text: string): void {
    replace(this.element, this.#head(sequence), notice(title, text));
  }

  #draw(event: StoredEvent): void {
    const app = this.#app;
    const { filter } = app.route;
    const { date, clock } = timeText(event.time);
    replace(
      this.element,
      this.#head(event.sequence),
      h("h2", {}, typeMark(app.catalog.colorOf(event.type)), h("bdi", {}, visibleLine(event.type))),
      h(
        "dl",
        { class: "facts" },
        ...fact("Time", h("time", { datetime: event.time }, `${date} ${clock}`)),
        ...fact("UTC", event.time),
        ...fact("Sequence", String(event.sequence)),
      ),
      ...this.#tags(event),
      payloadView(event.payload, () => app.copy(event.payload, "the payload")),
      h(
        "div",
        { class: "panel-actions" },
        button(
          "Only this type",
          () => app.go({ view: "events", filter: narrowedToType(filter, event.type), position: undefined }),
        ),
        button("Copy as JSON", () => app.copy(escapedJson(JSON.stringify(event)), "the event")),
        button("Copy link", () => {
          const fragment = fragmentOf({ ...START, open: event.sequence });
          app.copy(location.href.split("#")[0] + fragment, "the link");
        }),
      ),
    );
    this.element.scrollTop = 0;
  }

  #tags(event: StoredEvent): HTMLElement[] {
    const app = this.#app;
    const tags = tagsOf(event);
    return (["identifiers", "metadata"] as const).map((kind) => {
      const own = tags.filter((tag) => tag.kind === kind);
      const rows = own.map((tag) =>
        h(
          "li",
          {},
          tagButton(tag, "show only events with this tag", () =>
            app.go({ view: "events", filter: narrowedToTag(app.route.filter, tag), position: undefined })),
          h("a", {
            class: "trace-link",
            href: fragmentOf({ ...START, view: "trace", trace: tag }),
            "aria-label": `Trace ${visibleLine(`${tag.name} ${tag.value}`.slice(0, 200))}`,
          }, "Trace"),
        )
      );
      return h(
        "section",
        { "class": "tags-part", "aria-label": kind === "metadata" ? "Metadata" : "Identifiers" },
        h("h3", {}, kind === "metadata" ? "Metadata" : "Identifiers"),
        own.length === 0 ? h("p", { class: "quiet" }, "none") : h("ul", { class: "tag-list" }, ...rows),
      );
    });
  }
}

function fact(name: string, value: Node | string): HTMLElement[] {
  return [h("dt", {}, name), h("dd", {}, value)];
}
