import { h, replace, setAttribute } from "../parts/dom.ts";
import { isOffered, type ViewName, VIEWS } from "./route.ts";
import { themeSwitch } from "./theme.ts";
import type { Whoami } from "../store/rights.ts";
import type { About } from "../store/store_calls.ts";

const TITLES: Readonly<Record<ViewName, string>> = {
  events: "Events",
  trace: "Trace",
  projections: "Projections",
  conflicts: "Conflicts",
  health: "Health",
  try: "Try it",
  consumers: "Consumers",
};

/** The frame around every view: the tabs, the address of the store, and its state. */
export class Shell {
  readonly main = h("main", { id: "main" });
  readonly #tabs = new Map<ViewName, HTMLAnchorElement>();
  readonly #state = h("span", { class: "state", role: "status" });
  readonly #place = h("span", { class: "place" });
  readonly #banner = h("div", { class: "banner", role: "alert", hidden: true });
  readonly #toast = h("div", { class: "toast", role: "status" });
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onHelp: () => void) {
    const tabs = VIEWS.map((name) => {
      const tab = h("a", { class: "tab", href: `#/${name}` }, TITLES[name]);
      this.#tabs.set(name, tab);
      return tab;
    });
    document.body.replaceChildren(
      h(
        "header",
        { class: "top" },
        h("h1", {}, h("span", { class: "mark", "aria-hidden": "true" }), "eventstore"),
        h("nav", { "aria-label": "Views" }, ...tabs),
        h("span", { class: "spring" }),
        h("div", { class: "about" }, this.#place, this.#state),
        themeSwitch(),
        h("button", {
          "type": "button",
          "class": "button icon",
          "aria-label": "Keys (?)",
          "title": "Keys (?)",
          "on": { click: onHelp },
        }, "?"),
      ),
      this.#banner,
      this.main,
      this.#toast,
    );
  }

  /** Shows the store and the token, and hides the views that the token may not see or the edition lacks. */
  showAbout({ place, allowWrites }: About, { edition, name, may, within = {} }: Whoami): void {
    for (const [view, tab] of this.#tabs) tab.hidden = !isOffered(view, may, edition);
    const mayWrite = allowWrites && may.includes("write");
    replace(
      this.#place,
      h("span", { class: "place-text", title: place }, place.replace(/^http:\/\//, "")),
      h("span", { class: "badge" }, `edition ${edition}`),
      h(
        "span",
        { class: `badge ${mayWrite ? "warn" : ""}` },
        mayWrite ? "writes allowed" : "read-only",
      ),
      ...name === null ? [] : [h("span", { class: "badge", title: "The explorer's token" }, name)],
      ...Object.entries(within).map(([tag, value]) =>
        h(
          "span",
          { class: "badge", title: "The token sees only events with this identifier" },
          `${tag}=${value}`,
        )
      ),
    );
  }

  showView(name: ViewName, element: HTMLElement): void {
    for (const [tab, link] of this.#tabs) {
      setAttribute(link, "aria-current", tab === name ? "page" : undefined);
    }
    document.title = `${TITLES[name]} \u2013 eventstore`;
    if (this.main.firstElementChild !== element) replace(this.main, element);
  }

  /** @param problem the reason for the failure; undefined while the store answers */
  showState(problem: string | undefined): void {
    const text = problem === undefined ? "connected" : "not connected";
    if (this.#state.textContent !== text) this.#state.textContent = text;
    this.#state.classList.toggle("bad", problem !== undefined);
    this.#banner.hidden = problem === undefined;
    if (this.#banner.textContent !== (problem ?? "")) this.#banner.textContent = problem ?? "";
  }

  say(text: string): void {
    clearTimeout(this.#timer);
    this.#toast.textContent = text;
    this.#toast.classList.add("shown");
    this.#timer = setTimeout(() => this.#toast.classList.remove("shown"), 4000);
  }
}
