import { everything } from "../filter/query.ts";
import type { App } from "../frame/app.ts";
import { h, replace } from "../parts/dom.ts";
import { bytesText, wholeText } from "../parts/format.ts";
import { button, notice } from "../parts/parts.ts";
import { visibleLine } from "../parts/visible_text.ts";

const PAGE = 100;

interface Listed {
  readonly type: string;
  readonly id: string;
  readonly bytes: number;
}

/** A list of projections, page after page. Those with the checkpoint of a projector show how far it lags behind. */
export class ProjectionList {
  readonly #app: App;
  readonly #type: string | undefined;
  readonly #rows = h("tbody");
  readonly #foot = h("div", { class: "panel-actions" });
  readonly element: HTMLElement;

  constructor(app: App, type: string | undefined) {
    this.#app = app;
    this.#type = type;
    const heads = ["Type", "ID"].map((text) => h("th", {}, text));
    const numbers = ["Size", "Behind"].map((text) => h("th", { class: "number" }, text));
    const table = h("table", {}, h("thead", {}, h("tr", {}, ...heads, ...numbers)), this.#rows);
    this.element = h("div", { class: "projection-list" }, table, this.#foot);
  }

  /** Reads the next projections, after the given one. */
  async read(after?: Listed): Promise<void> {
    const { calls } = this.#app;
    const query = new URLSearchParams({ limit: String(PAGE) });
    if (this.#type !== undefined) query.set("type", this.#type);
    if (after) query.set("after", this.#type === undefined ? pathOf(after) : after.id);
    const text = await calls.text(`/projections?${query}`);
    const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    const { hasMore } = lines.pop() as { readonly hasMore: boolean };
    const listed = lines as Listed[];
    if (!after && listed.length === 0) return replace(this.element, this.#nothing());
    this.#rows.append(...listed.map((one) => this.#row(one)));
    const more = (): Promise<void> => this.read(listed.at(-1)).catch((error) => this.#app.say(error.message));
    replace(this.#foot, hasMore ? button("More", more) : undefined);
  }

  #nothing(): HTMLElement {
    const type = this.#type;
    const text = "A projection is a value that a program computes from events and stores here.";
    return type === undefined
      ? notice("No projections", text)
      : notice("No such projections", `There is none of type ${visibleLine(type)}.`);
  }

  #row(listed: Listed): HTMLElement {
    const { type, id, bytes } = listed;
    const behind = h("td", { class: "number" });
    if (type === "projector" || id === "_checkpoint") void this.#showLag(listed, behind);
    const open = button(visibleLine(id), () => this.#app.go({ projection: { type, id } }), { class: "link" });
    return h(
      "tr",
      {},
      h("td", {}, h("bdi", {}, visibleLine(type))),
      h("td", {}, open),
      h("td", { class: "number" }, bytesText(bytes)),
      behind,
    );
  }

  /** Shows how many events the store has after the checkpoint of a projector. */
  async #showLag(listed: Listed, cell: HTMLElement): Promise<void> {
    const { calls, facts } = this.#app;
    try {
      const { checkpoint } = JSON.parse(await calls.text(`/projections/${pathOf(listed)}`));
      const query = everything(facts.edition);
      const { head } = await calls.events({ query, backwards: true, limit: 1 });
      const isOther = checkpoint.storeId !== calls.storeId;
      replace(cell, isOther ? "another store" : wholeText(Math.max(0, head - checkpoint.sequence)));
    } catch {
      // It is gone, or not one of a projector of the client.
      replace(cell, "-");
    }
  }
}

function pathOf({ type, id }: Listed): string {
  return [type, id].map(encodeURIComponent).join("/");
}
