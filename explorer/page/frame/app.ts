import type { StoreFacts } from "../filter/copy_as.ts";
import type { Route } from "./route.ts";
import type { Seen } from "../filter/seen.ts";
import type { About, StoreCalls } from "../store/store_calls.ts";

/** What every view has at hand. */
export interface App {
  readonly calls: StoreCalls;
  readonly about: About;
  readonly facts: StoreFacts;
  readonly seen: Seen;
  /** What is shown. */
  readonly route: Route;
  /** Shows something else, as a step in the history of the browser, or in the place of the present one. */
  go(change: Partial<Route>, how?: "step" | "replace"): void;
  /** Puts a text on the clipboard and says so. */
  copy(text: string, what: string): void;
  /** Says something for a moment. */
  say(text: string): void;
}

/** One of the pages behind the tabs. */
export interface View {
  readonly element: HTMLElement;
  /** The view is shown, or its route has changed. */
  show(route: Route): void;
  /** Another view is shown: nothing goes on here. */
  hide(): void;
  /** The store is another one: what is shown is read anew. */
  reload(): void;
  /** The store is another one, whether this view is shown or not: what is remembered of the old one is forgotten. */
  forget?(): void;
  /** The store answers again. Without it, what is shown is read anew. */
  resume?(): void;
  /** A key that no field has taken. Returns whether it meant something. */
  onKey?(key: string): boolean;
}
