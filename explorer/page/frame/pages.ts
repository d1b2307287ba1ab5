import type { App, View } from "./app.ts";
import { StoreCatalog } from "../catalog/store_catalog.ts";
import { ConflictsView } from "../conflicts/conflicts_view.ts";
import { ConsumersView } from "../consumers/consumers_view.ts";
import type { StoreFacts } from "../filter/copy_as.ts";
import { EventsView } from "../events/events_view.ts";
import { HealthView } from "../health/health_view.ts";
import { ProjectionsView } from "../projections/projections_view.ts";
import { fragmentOf, isOffered, type Route, routeOf, type ViewName, VIEWS } from "./route.ts";
import { Seen } from "../filter/seen.ts";
import type { Shell } from "./shell.ts";
import type { Right, Whoami } from "../store/rights.ts";
import type { About, StoreCalls } from "../store/store_calls.ts";
import { TraceView } from "../trace/trace_view.ts";
import { TryView } from "../try/try_view.ts";

const MAKERS: Readonly<Record<ViewName, new (app: App) => View>> = {
  events: EventsView,
  trace: TraceView,
  projections: ProjectionsView,
  conflicts: ConflictsView,
  health: HealthView,
  try: TryView,
  consumers: ConsumersView,
};

/** The views. The address names the one that is shown. */
export class Pages implements App {
  readonly calls: StoreCalls;
  readonly about: About;
  readonly facts: StoreFacts;
  readonly may: readonly Right[];
  readonly seesAll: boolean;
  readonly subjects: readonly string[];
  readonly seen = new Seen();
  readonly catalog = new StoreCatalog();
  route: Route = routeOf(location.hash);
  readonly #shell: Shell;
  readonly #views = new Map<ViewName, View>();
  #shown: View | undefined;

  constructor(
    shell: Shell,
    calls: StoreCalls,
    about: About,
    { edition, may, within, subjects = [] }: Whoami,
  ) {
    this.#shell = shell;
    this.may = may;
    this.calls = calls;
    this.about = about;
    this.facts = { ...about, edition };
    this.seesAll = within === undefined;
    this.subjects = subjects;
    globalThis.addEventListener("hashchange", () => this.show());
  }

  /** Shows the view and the route of the address. */
  show(): void {
    const before = this.route;
    const asked = routeOf(location.hash);
    const route = { ...asked, view: this.#allowed(asked.view) };
    // An equal filter stays the same object, so that views do not draw it again.
    const isSame = JSON.stringify(before.filter) === JSON.stringify(route.filter);
    this.route = isSame ? { ...route, filter: before.filter } : route;
    const view = this.#viewOf(route.view);
    if (this.#shown !== view) this.#shown?.hide();
    this.#shown = view;
    this.#shell.showView(route.view, view.element);
    view.show(this.route);
  }

  /** Returns the view, or the first one that the page offers. */
  #allowed(view: ViewName): ViewName {
    const isAllowed = (name: ViewName): boolean => isOffered(name, this.may, this.facts.edition);
    return isAllowed(view) ? view : VIEWS.find(isAllowed) ?? view;
  }

  /** Called when the store was reset or replaced. */
  reload(): void {
    this.seen.clear();
    this.catalog.clear();
    for (const view of this.#views.values()) view.forget?.();
    this.#shown?.reload();
  }

  /** Called when the store does not answer any more. */
  away(): void {
    this.#shown?.away?.();
  }

  /** Called when the store answers again. */
  resume(): void {
    if (this.#shown?.resume === undefined) this.#shown?.reload();
    else this.#shown.resume();
  }

  go(change: Partial<Route>, how: "step" | "replace" = "step"): void {
    const fragment = fragmentOf({ ...this.route, ...change });
    if (fragment === location.hash) return;
    if (how === "step") history.pushState(null, "", fragment);
    else history.replaceState(null, "", fragment);
    this.show();
  }

  copy(text: string, what: string): void {
    navigator.clipboard.writeText(text).then(
      () => this.say(`Copied: ${what}`),
      () => this.say("The browser does not let the page copy"),
    );
  }

  say(text: string): void {
    this.#shell.say(text);
  }

  /** Handles a key that no field has used. Returns false if no view has a use for it. */
  onKey(key: string): boolean {
    const view = VIEWS[Number(key) - 1];
    if (view === undefined) return this.#shown?.onKey?.(key) ?? false;
    this.go({ view });
    return true;
  }

  #viewOf(name: ViewName): View {
    const view = this.#views.get(name) ?? new MAKERS[name](this);
    this.#views.set(name, view);
    return view;
  }
}
