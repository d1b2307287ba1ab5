import type { App } from "../frame/app.ts";
import { h, replace } from "../parts/dom.ts";
import { narrowedToTag, narrowedToType } from "../filter/filter.ts";
import { everything } from "../filter/query.ts";
import { timeText } from "../parts/format.ts";
import { button, fact, notice, tagButton, typeMark } from "../parts/parts.ts";
import { payloadView } from "../parts/payload_view.ts";
import { fragmentOf, START } from "../frame/route.ts";
import { type StoredEvent, tagsOf } from "../store/stored_event.ts";
import { forgottenPart, storedPart } from "./stored_part.ts";
import { sameWrite, sameWriteText } from "./same_write.ts";
import { escapedJson, visibleLine } from "../parts/visible_text.ts";

export interface PanelOptions {
  onClose(): void;
  /** Opens the next event of the list, or the previous one. */
  onStep(by: 1 | -1): void;
}

/** The open event with its whole payload, next to the list or above it. */
export class EventPanel {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #sequence = h("span", { class: "panel-sequence" });
  /** Apart from the head, whose buttons keep the focus from event to event. */
  readonly #content = h("div", { class: "panel-content" });
  #shown: number | undefined;
  #ending = new AbortController();

  constructor(app: App, { onClose, onStep }: PanelOptions) {
    this.#app = app;
    this.element = h(
      "aside",
      { "class": "panel", "aria-label": "Event", "hidden": true },
      h(
        "div",
        { class: "panel-head" },
        this.#sequence,
        h("span", { class: "spring" }),
        iconButton("\u2191", "Previous event (k)", () => onStep(-1)),
        iconButton("\u2193", "Next event (j)", () => onStep(1)),
        iconButton("\u2715", "Close (Escape)", onClose),
      ),
      this.#content,
    );
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
    if (sequence === undefined) return replace(this.#content);
    try {
      const request = { query: everything(this.#app.facts.edition), afterSequence: sequence - 1, limit: 1 };
      const { events: [event] } = await this.#app.calls.events(request, signal);
      if (signal.aborted) return;
      if (event?.sequence === sequence) this.#draw(event, signal);
      else this.#drawNotice(sequence, "No such event", "The store has no event with this sequence.");
    } catch (error) {
      if (signal.aborted) return;
      this.#shown = undefined;
      this.#drawNotice(sequence, "The event could not be read", (error as Error).message);
    }
  }

  #drawNotice(sequence: number, title: string, text: string): void {
    this.#sequence.textContent = `#${sequence}`;
    replace(this.#content, notice(title, text));
  }

  #draw(event: StoredEvent, signal: AbortSignal): void {
    const app = this.#app;
    const { filter } = app.route;
    const { date, clock } = timeText(event.time);
    const write = h("section", { "class": "write-part", "aria-label": "Same write" });
    this.#sequence.textContent = `#${event.sequence}`;
    replace(
      this.#content,
      h("h2", {}, typeMark(app.catalog.colorOf(event.type)), h("bdi", {}, visibleLine(event.type))),
      h(
        "dl",
        { class: "facts" },
        ...fact("Time", h("time", { datetime: event.time }, `${date} ${clock}`)),
        ...fact("UTC", event.time),
        ...fact("Sequence", String(event.sequence)),
      ),
      ...this.#tags(event),
      event.forgotten === undefined
        ? payloadView(event.payload, () => app.copy(event.payload, "the payload"))
        : forgottenPart(event.forgotten),
      storedPart(app, event, signal),
      write,
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
    void this.#drawWrite(write, event, signal);
  }

  /** Lists the events of the same write, once they are read. */
  async #drawWrite(part: HTMLElement, event: StoredEvent, signal: AbortSignal): Promise<void> {
    const { calls, catalog, facts } = this.#app;
    const title = h("h3", {}, "Same write");
    try {
      const write = await sameWrite(
        (request) => calls.events(request, signal),
        everything(facts.edition),
        event,
      );
      const items = write.events.map(({ sequence, type }) => {
        const press = (): void => this.#app.go({ open: sequence });
        const isShown = sequence === event.sequence;
        return h(
          "li",
          {},
          h(
            "button",
            { "type": "button", "aria-current": isShown ? "true" : undefined, "on": { click: press } },
            h("span", { class: "panel-sequence" }, `#${sequence}`),
            typeMark(catalog.colorOf(type)),
            h("bdi", {}, visibleLine(type)),
          ),
        );
      });
      const list = h("ol", { class: "write-list" }, ...items);
      const text = h("p", { class: "quiet" }, sameWriteText(write, event.sequence));
      replace(part, title, text, items.length > 1 ? list : undefined);
      const shown = items[write.events.indexOf(event)]!;
      list.scrollTop = shown.offsetTop - list.clientHeight / 2;
    } catch (error) {
      if (!signal.aborted) replace(part, title, h("p", { class: "problem" }, (error as Error).message));
    }
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

function iconButton(sign: string, label: string, onPress: () => void): HTMLButtonElement {
  return button(sign, onPress, { "class": "button icon", "aria-label": label, "title": label });
}
