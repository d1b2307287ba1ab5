import type { App, View } from "../frame/app.ts";
import { projectionCurlText } from "../filter/copy_as.ts";
import { h, replace } from "../parts/dom.ts";
import { button, notice } from "../parts/parts.ts";
import { payloadView } from "../parts/payload_view.ts";
import type { Route } from "../frame/route.ts";
import { ProjectionList } from "./projection_list.ts";
import { visibleLine } from "../parts/visible_text.ts";

/** Lists projections, and shows the payload and version of one. */
export class ProjectionsView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #type = h("input", {
    "name": "type",
    "aria-label": "Type",
    "placeholder": "type",
    "autocomplete": "off",
    "spellcheck": "false",
  });
  readonly #id = h("input", {
    "name": "id",
    "aria-label": "ID",
    "placeholder": "id",
    "autocomplete": "off",
    "spellcheck": "false",
  });
  readonly #result = h("div", {
    class: "result",
    role: "region",
    "aria-label": "Projection",
    "aria-live": "polite",
  });
  #turn = 0;

  constructor(app: App) {
    this.#app = app;
    const submit = (event: Event): void => {
      event.preventDefault();
      const [type, id] = [this.#type.value, this.#id.value];
      if (type === "" && id !== "") return app.say("a projection has a type and an ID");
      app.go({ projection: type === "" ? undefined : { type, id } });
      this.reload();
    };
    this.element = h(
      "div",
      { class: "view projections-view" },
      h(
        "form",
        { class: "toolbar", on: { submit } },
        this.#type,
        this.#id,
        h("button", { class: "button strong", type: "submit" }, "Look up"),
      ),
      this.#result,
    );
  }

  show({ projection }: Route): void {
    const { type, id } = projection ?? { type: "", id: "" };
    this.#type.value = type;
    this.#id.value = id;
    if (id === "") void this.#list(type === "" ? undefined : type);
    else void this.#read(type, id);
  }

  hide(): void {
    this.#turn++;
  }

  reload(): void {
    this.show(this.#app.route);
  }

  onKey(key: string): boolean {
    if (key !== "/") return false;
    this.#type.focus();
    return true;
  }

  async #list(type: string | undefined): Promise<void> {
    const turn = ++this.#turn;
    const list = new ProjectionList(this.#app, type);
    try {
      await list.read();
      if (turn === this.#turn) replace(this.#result, list.element);
    } catch (error) {
      this.#failed(turn, "The projections could not be read", error);
    }
  }

  #failed(turn: number, title: string, error: unknown): void {
    if (turn === this.#turn) replace(this.#result, notice(title, (error as Error).message));
  }

  async #read(type: string, id: string): Promise<void> {
    const turn = ++this.#turn;
    if (/^\.{1,2}$/.test(type) || /^\.{1,2}$/.test(id)) {
      return replace(
        this.#result,
        notice("Not to be looked up here", "A browser cannot ask for a name of dots alone."),
      );
    }
    try {
      const path = `/projections/${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
      const answer = await this.#app.calls.send("GET", path);
      if (turn !== this.#turn) return;
      if (answer.status === 200) this.#draw(type, id, answer.text, answer.headers.get("x-service-version"));
      else if (answer.status === 404) {
        replace(
          this.#result,
          notice(
            "No such projection",
            `There is none of type ${visibleLine(type)} with the ID ${visibleLine(id)}.`,
          ),
        );
      } else replace(this.#result, notice(`Status ${answer.status}`, answer.text));
    } catch (error) {
      this.#failed(turn, "The projection could not be read", error);
    }
  }

  #draw(type: string, id: string, payload: string, version: string | null): void {
    const app = this.#app;
    replace(
      this.#result,
      h(
        "h2",
        { class: "view-title" },
        h("span", { class: "quiet" }, visibleLine(`${type} `)),
        h("bdi", {}, visibleLine(id)),
      ),
      h("dl", { class: "facts" }, h("dt", {}, "Version"), h("dd", {}, version ?? "-")),
      payloadView(payload, () => app.copy(payload, "the payload")),
      h(
        "div",
        { class: "panel-actions" },
        button("Read again", () => void this.#read(type, id)),
        button("Copy as curl", () => app.copy(projectionCurlText(type, id, app.facts), "curl")),
      ),
    );
  }
}
