import type { StoreCatalog } from "../catalog/store_catalog.ts";
import type { StoreFacts } from "../filter/copy_as.ts";
import type { Route } from "./route.ts";
import type { Seen } from "../filter/seen.ts";
import type { Right } from "../store/rights.ts";
import type { About, StoreCalls } from "../store/store_calls.ts";

/** Services and state that every view can use. */
export interface App {
  readonly calls: StoreCalls;
  readonly about: About;
  readonly facts: StoreFacts;
  /** The rights of the explorer's token. */
  readonly may: readonly Right[];
  /** False when that token sees only some events, so that their sequences have gaps. */
  readonly seesAll: boolean;
  /** The names of identifiers that stand for a person. */
  readonly subjects: readonly string[];
  readonly seen: Seen;
  readonly catalog: StoreCatalog;
  /** The current route. */
  readonly route: Route;
  /** Changes the route: adds an entry to the browser's history, or replaces the current one. */
  go(change: Partial<Route>, how?: "step" | "replace"): void;
  /** Copies a text to the clipboard and shows a message. */
  copy(text: string, what: string): void;
  /** Shows a message for a moment. */
  say(text: string): void;
}

/** One of the pages behind the tabs. */
export interface View {
  readonly element: HTMLElement;
  /** Called when the view is shown, or its route has changed. */
  show(route: Route): void;
  /** Called when another view is shown. This one stops its reads. */
  hide(): void;
  /** Called when the store was reset or replaced. The shown view reads everything again. */
  reload(): void;
  /** Called on every view, shown or hidden, when the store was reset or replaced. The view forgets the old store. */
  forget?(): void;
  /** Called when the store does not answer any more. */
  away?(): void;
  /** Called when the store answers again. A view without this method is reloaded. */
  resume?(): void;
  /** Handles a key that no field has used. Returns false if the view has no use for it. */
  onKey?(key: string): boolean;
}
