import type { App, View } from "../frame/app.ts";
import { h, replace } from "../parts/dom.ts";
import { EventFeed, timeSearchOf } from "./event_feed.ts";
import { EventsToolbar } from "./events_toolbar.ts";
import { countText, failureNotice, nothingNotice } from "./events_texts.ts";
import { EventPanel } from "./event_panel.ts";
import { eventRow } from "./event_row.ts";
import { Follower } from "./follower.ts";
import { withTag } from "../filter/filter.ts";
import { wholeText } from "../parts/format.ts";
import { button } from "../parts/parts.ts";
import { fragmentOf, type Route } from "../frame/route.ts";
import type { StoredEvent } from "../store/stored_event.ts";
import { Timeline } from "../timeline/timeline.ts";
import { VirtualList } from "./virtual_list.ts";

/** New events are held back while somebody reads further down; when there are more, the list begins again. */
const HELD_MAX = 10_000;
const OPEN_MILLISECONDS = 120;

/** The list of events: filtered, live, and with one of them open. */
export class EventsView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #toolbar: EventsToolbar;
  readonly #timeline: Timeline;
  readonly #panel: EventPanel;
  readonly #list: VirtualList<StoredEvent>;
  readonly #fresh: HTMLButtonElement;
  readonly #empty = h("div", { class: "empty", role: "status" });
  readonly #count = h("span", { class: "count", role: "status" });
  #search;
  #feed: EventFeed | undefined;
  #follower: Follower | undefined;
  #held: StoredEvent[] = [];
  #isPaused = false;
  #opening: ReturnType<typeof setTimeout> | undefined;
  #shown = "";
  /** The sequence of the row that keys move from. */
  #cursor: number | undefined;

  constructor(app: App) {
    this.#app = app;
    this.#search = timeSearchOf(app.calls, app.facts.edition);
    this.#toolbar = new EventsToolbar(app, () => this.#togglePause());
    this.#timeline = new Timeline(app, () => this.#search);
    this.#panel = new EventPanel(app, () => this.#close());
    this.#list = new VirtualList<StoredEvent>({
      label: "Events",
      keyOf: ({ sequence }) => sequence,
      rowOf: (event) => this.#row(event),
      onNearEnd: () => void this.#more(),
      onScroll: () => this.#list.isAtTop && this.#showHeld(),
    });
    this.#fresh = button("", () => this.#toTop(), { class: "button strong fresh" });
    this.#fresh.hidden = true;
    this.element = this.#build();
  }

  #build(): HTMLElement {
    const list = h("div", { class: "list-part" }, this.#fresh, this.#list.element, this.#empty, this.#count);
    return h(
      "div",
      { class: "view events-view" },
      this.#toolbar.element,
      this.#timeline.element,
      h("div", { class: "split" }, list, this.#panel.element),
    );
  }

  show(route: Route): void {
    this.#toolbar.show(route);
    const wanted = fragmentOf({ ...route, open: undefined });
    if (wanted !== this.#shown) {
      this.#shown = wanted;
      this.#start(route);
    }
    if (route.open !== undefined) this.#moveTo(route.open);
    this.element.classList.toggle("has-open", route.open !== undefined);
    void this.#panel.show(route.open);
  }

  hide(): void {
    this.#shown = "";
    clearTimeout(this.#opening);
    this.#feed?.stop();
    this.#follower?.stop();
    this.#timeline.hide();
  }

  forget(): void {
    this.#search = timeSearchOf(this.#app.calls, this.#app.facts.edition);
    this.#panel.clear();
  }

  reload(): void {
    this.#shown = "";
    this.show(this.#app.route);
  }

  /** What was read stays; only what could not be read is read again. */
  resume(): void {
    if (this.#feed?.hasFailed !== true) return;
    if (this.#feed.events.length === 0) return this.reload();
    this.#feed.hasFailed = false;
    void this.#more();
  }

  onKey(key: string): boolean {
    if (key === "/") this.#toolbar.focus();
    else if (key === "j" || key === "ArrowDown") this.#step(1);
    else if (key === "k" || key === "ArrowUp") this.#step(-1);
    else if (key === "Enter") this.#openCursor();
    else if (key === "Escape" && this.#app.route.open !== undefined) this.#close();
    else if (key === "p") this.#togglePause();
    else if (key === "g") this.#toTop();
    else return false;
    return true;
  }

  #start(route: Route): void {
    this.#feed?.stop();
    this.#follower?.stop();
    this.#follower = undefined;
    this.#held = [];
    this.#cursor = undefined;
    this.#fresh.hidden = true;
    const { calls, facts, seen } = this.#app;
    const feed = new EventFeed(calls, facts.edition, seen, this.#search, route);
    this.#feed = feed;
    this.#showLive();
    this.#list.set([], true);
    replace(this.#empty);
    this.#count.textContent = "Reading \u2026";
    void this.#more().then(() => {
      if (!feed.isStopped && feed.canFollow) this.#follow(feed);
    });
    void this.#timeline.show(route.filter);
  }

  #follow(feed: EventFeed): void {
    this.#follower = new Follower({
      calls: this.#app.calls,
      query: feed.query,
      after: feed.head,
      onEvents: (events) => this.#receive(events),
      onBehind: () => this.#start(this.#app.route),
    });
    this.#follower.pause(this.#isPaused);
  }

  async #more(): Promise<void> {
    const feed = this.#feed;
    if (feed === undefined || feed.isAtEnd || feed.isFull || feed.hasFailed) return;
    try {
      await feed.more();
      if (!feed.isStopped) this.#draw();
    } catch (error) {
      if (feed.isStopped) return;
      feed.hasFailed = true;
      const { message } = error as Error;
      this.#count.textContent = feed.events.length > 0 ? `Could not read on: ${message}` : "";
      if (feed.events.length === 0) replace(this.#empty, failureNotice(message, () => this.reload()));
    }
  }

  #draw(): void {
    const feed = this.#feed!;
    this.#list.set(feed.events, false);
    if (feed.events.length === 0 && feed.isAtEnd) replace(this.#empty, nothingNotice(this.#app));
    else replace(this.#empty);
    this.#count.textContent = countText(feed);
    this.#mark();
  }

  #receive(events: readonly StoredEvent[]): void {
    this.#held.push(...events);
    if (this.#held.length > HELD_MAX) return this.#start(this.#app.route);
    if (this.#list.isAtTop) return this.#showHeld();
    this.#fresh.hidden = false;
    this.#fresh.textContent = `\u2191 ${wholeText(this.#held.length)} new`;
  }

  #showHeld(): void {
    this.#fresh.hidden = true;
    if (this.#held.length === 0) return;
    this.#feed?.prepend(this.#held);
    this.#held = [];
    this.#draw();
  }

  #toTop(): void {
    this.#list.element.scrollTop = 0;
    this.#showHeld();
  }

  #togglePause(): void {
    this.#isPaused = !this.#isPaused;
    this.#follower?.pause(this.#isPaused);
    this.#showLive();
  }

  #showLive(): void {
    this.#toolbar.showLive(this.#feed?.canFollow ? this.#isPaused ? "paused" : "live" : undefined);
  }

  #row(event: StoredEvent): HTMLElement {
    const app = this.#app;
    const row = eventRow(event, {
      link: fragmentOf({ ...app.route, open: event.sequence }),
      onTag: (tag) => app.go({ filter: withTag(app.route.filter, tag), position: undefined }),
    });
    row.classList.toggle("current", event.sequence === this.#cursor);
    return row;
  }

  #close(): void {
    clearTimeout(this.#opening);
    this.#app.go({ open: undefined });
    this.#list.element.focus({ preventScroll: true });
  }

  #step(by: number): void {
    const events = this.#feed?.events ?? [];
    const at = events.findIndex(({ sequence }) => sequence === this.#cursor);
    const next = at < 0 ? 0 : Math.min(events.length - 1, Math.max(0, at + by));
    if (events[next] === undefined) return;
    this.#moveTo(events[next].sequence);
    this.#list.scrollTo(next);
    this.#mark();
    if (this.#app.route.open === undefined) return;
    // A key that is held down steps faster than an address may change.
    clearTimeout(this.#opening);
    this.#opening = setTimeout(() => this.#openCursor("replace"), OPEN_MILLISECONDS);
  }

  #openCursor(how: "step" | "replace" = "step"): void {
    if (this.#cursor !== undefined) this.#app.go({ open: this.#cursor }, how);
  }

  #moveTo(sequence: number): void {
    if (this.#cursor !== undefined) this.#list.rowOf(this.#cursor)?.classList.remove("current");
    this.#cursor = sequence;
    this.#mark();
  }

  #mark(): void {
    if (this.#cursor !== undefined) this.#list.rowOf(this.#cursor)?.classList.add("current");
  }
}
