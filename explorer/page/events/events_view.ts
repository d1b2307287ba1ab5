import type { App, View } from "../frame/app.ts";
import { h, replace } from "../parts/dom.ts";
import { CatalogPanel } from "../catalog/catalog_panel.ts";
import { DownloadMenu } from "../download/download_menu.ts";
import { EventFeed } from "./event_feed.ts";
import { Columns } from "./columns.ts";
import { areOfToday } from "./row_columns.ts";
import { EventsToolbar } from "./events_toolbar.ts";
import { countText, failureNotice, nothingNotice } from "./events_texts.ts";
import { EventOpener } from "./event_opener.ts";
import { EventPanel } from "./event_panel.ts";
import { eventRow, shownTags } from "./event_row.ts";
import { Follower } from "./follower.ts";
import { HeldEvents } from "./held_events.ts";
import { narrowedToTag } from "../filter/filter.ts";
import { fragmentOf, type Route } from "../frame/route.ts";
import type { StoredEvent } from "../store/stored_event.ts";
import type { Bounds } from "../timeline/time_bounds.ts";
import { Positions } from "../timeline/positions.ts";
import { Timeline } from "../timeline/timeline.ts";
import { ListCursor } from "./list_cursor.ts";
import { VirtualList } from "./virtual_list.ts";

/** The list of events: filtered, live, and with one event open. */
export class EventsView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #toolbar: EventsToolbar;
  readonly #timeline: Timeline;
  readonly #catalog: CatalogPanel;
  readonly #panel: EventPanel;
  readonly #columns = new Columns(() => this.#redraw());
  readonly #list: VirtualList<StoredEvent>;
  readonly #cursor: ListCursor;
  readonly #opener: EventOpener;
  readonly #held: HeldEvents;
  readonly #empty = h("div", { class: "empty", role: "status" });
  readonly #count = h("span", { class: "count", role: "status" });
  #positions: Positions;
  #feed: EventFeed | undefined;
  #follower: Follower | undefined;
  #isPaused = false;
  #isAway = false;
  #shown = "";

  constructor(app: App) {
    this.#app = app;
    this.#positions = positionsIn(app);
    this.#toolbar = new EventsToolbar(app, {
      onPause: () => this.#togglePause(),
      boundsOf: () => this.#timeBounds(),
      columns: this.#columns.menu,
      download: new DownloadMenu(app, () => this.#feed!.range()).element,
    });
    this.#timeline = new Timeline(app, () => this.#positions);
    this.#catalog = new CatalogPanel(app, (name) => this.#toolbar.beginTag(name));
    this.#panel = new EventPanel(app, {
      onClose: () => this.#close(),
      onStep: (by) => this.#opener.step(by, this.#feed),
    });
    this.#list = new VirtualList<StoredEvent>({
      label: "Events",
      keyOf: ({ sequence }) => sequence,
      rowOf: (event) => this.#row(event),
      onNearEnd: () => void this.#more(),
      onScroll: () => this.#list.isAtTop && this.#showHeld(),
    });
    this.#cursor = new ListCursor(this.#list);
    this.#opener = new EventOpener(app, this.#cursor);
    this.#held = new HeldEvents(() => this.#toTop());
    this.element = this.#build();
  }

  #build(): HTMLElement {
    const list = h(
      "div",
      { class: "list-part" },
      this.#held.button,
      this.#list.element,
      this.#empty,
      this.#count,
    );
    return h(
      "div",
      { class: "view events-view" },
      this.#toolbar.element,
      this.#timeline.element,
      h("div", { class: "split" }, this.#catalog.element, list, this.#panel.element),
    );
  }

  show(route: Route): void {
    this.#toolbar.show(route);
    const wanted = fragmentOf({ ...route, open: undefined });
    if (wanted !== this.#shown) {
      this.#shown = wanted;
      this.#start(route);
    }
    this.#catalog.show(route.filter);
    if (route.open !== undefined) this.#cursor.moveTo(route.open);
    this.element.classList.toggle("has-open", route.open !== undefined);
    void this.#panel.show(route.open);
  }

  hide(): void {
    this.#shown = "";
    this.#opener.stop();
    this.#feed?.stop();
    this.#follower?.stop();
    this.#timeline.stop();
    this.#catalog.stop();
  }

  forget(): void {
    this.#positions = positionsIn(this.#app);
    this.#panel.clear();
  }

  reload(): void {
    this.#shown = "";
    this.show(this.#app.route);
  }

  /** The rows stay, but they are not live. */
  away(): void {
    this.#isAway = true;
    this.#showLive();
  }

  /** Reads the failed page again, and keeps the others. */
  resume(): void {
    this.#isAway = false;
    this.#showLive();
    if (this.#feed?.hasFailed !== true) return;
    if (this.#feed.events.length === 0) return this.reload();
    this.#feed.hasFailed = false;
    void this.#more();
  }

  onKey(key: string): boolean {
    if (key === "/") this.#toolbar.focus();
    else if (key === "j" || key === "ArrowDown") this.#opener.step(1, this.#feed);
    else if (key === "k" || key === "ArrowUp") this.#opener.step(-1, this.#feed);
    else if (key === "Enter") this.#opener.open();
    else if (key === "Escape" && this.#app.route.open !== undefined) this.#close();
    else if (key === "p") this.#togglePause();
    else if (key === "g") this.#toTop();
    else return false;
    return true;
  }

  #start(route: Route): void {
    this.#feed?.stop();
    this.#follower?.stop();
    this.#timeline.stop();
    this.#follower = undefined;
    this.#held.take();
    this.#cursor.sequence = undefined;
    const { calls, facts, seen } = this.#app;
    const feed = new EventFeed(calls, facts.edition, seen, this.#positions, route);
    this.#feed = feed;
    this.#showLive();
    this.#list.set([], true);
    this.#columns.reset(this.#list.element);
    replace(this.#empty);
    this.#count.textContent = "Reading \u2026";
    // The first rows already have the colours of their types.
    void this.#catalog.start().then(() => this.#more()).then(() => {
      if (feed.isStopped || feed.hasFailed) return;
      if (feed.canFollow) this.#follow(feed);
      // The timeline counts once the first rows are on the screen.
      requestAnimationFrame(() => setTimeout(() => !feed.isStopped && this.#timeline.show(route.filter)));
    });
  }

  async #timeBounds(): Promise<Bounds> {
    return await this.#feed?.timeBounds() ?? { after: 0, before: Infinity };
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
    this.element.classList.toggle("one-day", areOfToday(feed.events));
    if (feed.events.length === 0 && feed.isAtEnd) replace(this.#empty, nothingNotice(this.#app));
    else replace(this.#empty);
    this.#count.textContent = countText(feed, this.#app.catalog.totalOf(this.#app.route.filter));
    this.#cursor.mark();
  }

  /** Draws the rows with other columns. */
  #redraw(): void {
    this.#columns.reset(this.#list.element);
    this.#list.redraw();
  }

  #receive(events: readonly StoredEvent[]): void {
    this.#held.add(events);
    if (this.#held.areTooMany) return this.#start(this.#app.route);
    if (this.#list.isAtTop) this.#showHeld();
    else this.#held.show();
  }

  #showHeld(): void {
    const events = this.#held.take();
    if (events.length === 0) return;
    this.#feed?.prepend(events);
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
    const state = this.#isAway ? "away" : this.#isPaused ? "paused" : "live";
    this.#toolbar.showLive(this.#feed?.canFollow ? state : undefined);
  }

  #row(event: StoredEvent): HTMLElement {
    const app = this.#app;
    const tags = shownTags(event, this.#columns);
    this.#columns.fit(event, tags);
    const row = eventRow(event, {
      tags,
      columns: this.#columns,
      link: fragmentOf({ ...app.route, open: event.sequence }),
      color: app.catalog.colorOf(event.type),
      onTag: (tag) => app.go({ filter: narrowedToTag(app.route.filter, tag), position: undefined }),
    });
    row.classList.toggle("current", event.sequence === this.#cursor.sequence);
    return row;
  }

  #close(): void {
    this.#opener.stop();
    this.#app.go({ open: undefined });
    this.#list.element.focus({ preventScroll: true });
  }
}

function positionsIn({ calls }: App): Positions {
  return new Positions((path) => calls.text(path));
}
