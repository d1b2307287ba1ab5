import type { App, View } from "../frame/app.ts";
import { h, replace } from "../parts/dom.ts";
import { durationText } from "../parts/format.ts";
import { button, notice } from "../parts/parts.ts";
import { prettyParts } from "../parts/payload.ts";
import type { Route } from "../frame/route.ts";
import { readTemplate, writeExplanation, writeTemplate } from "./try_templates.ts";
import { type Exchange, tryWrite } from "./try_writes.ts";
import { visibleText } from "../parts/visible_text.ts";

/** The page shows so many characters of an answer. */
const CHARACTERS_MAX = 100_000;

/** A view for requests by hand. */
export class TryView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #read: HTMLTextAreaElement;
  readonly #write: HTMLTextAreaElement;
  readonly #answers = h("div", {
    "class": "answers",
    "tabindex": 0,
    "role": "region",
    "aria-label": "Answers",
    "aria-live": "polite",
  });

  constructor(app: App) {
    this.#app = app;
    const { facts: { edition }, about, may } = app;
    this.#read = field("Body of the query", 10);
    this.#write = field("Body of the write", 20);
    const remedy = may.includes("write")
      ? "This explorer only reads. Start it with --allow-writes to write to the store from here."
      : 'The explorer\'s token lacks the right "write".';
    const write = about.allowWrites && may.includes("write")
      ? this.#part("Write", writeExplanation(edition), this.#write, () => this.#sendWrite())
      : notice("Writes are off", remedy);
    this.element = h(
      "div",
      { class: "view try-view" },
      h(
        "div",
        { class: "try-forms" },
        this.#part(
          "Query",
          "QUERY /events: one line for each event, and whether there are more.",
          this.#read,
          () => this.#sendRead(),
        ),
        write,
      ),
      this.#answers,
    );
    replace(
      this.#answers,
      notice("No answer yet", "Send a request: its answer appears here as the store gives it."),
    );
  }

  show({ filter }: Route): void {
    const { edition } = this.#app.facts;
    if (this.#read.value === "") this.#read.value = readTemplate(filter, edition);
    if (this.#write.value === "") this.#write.value = writeTemplate(filter, edition);
  }

  hide(): void {}

  reload(): void {}

  onKey(key: string): boolean {
    if (key !== "/") return false;
    this.#read.focus();
    return true;
  }

  #part(title: string, text: string, area: HTMLTextAreaElement, send: () => void): HTMLElement {
    const problem = h("p", { class: "problem", role: "alert" });
    const checked = (): void => {
      problem.textContent = faultOf(area.value) ?? "";
      if (problem.textContent === "") send();
    };
    area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) checked();
    });
    return h(
      "section",
      { "class": "try-part", "aria-label": title },
      h("h2", {}, title),
      h("p", { class: "quiet" }, text),
      area,
      problem,
      h(
        "div",
        { class: "panel-actions" },
        button("Send", checked, { class: "button strong" }),
        h("span", { class: "quiet" }, "Ctrl+Enter"),
      ),
    );
  }

  async #sendRead(): Promise<void> {
    const list = this.#begin();
    const begun = this.#read.value;
    await this.#shown(list, async () => {
      const answer = await this.#app.calls.send("QUERY", "/events", begun);
      list.append(exchangeView({ request: "QUERY /events", answer }));
    });
  }

  async #sendWrite(): Promise<void> {
    const list = this.#begin();
    const { calls, facts } = this.#app;
    const body = this.#write.value;
    await this.#shown(
      list,
      () => tryWrite(calls, facts.edition, body, (exchange) => list.append(exchangeView(exchange))),
    );
  }

  #begin(): HTMLElement {
    const list = h("div", { class: "exchanges" });
    replace(this.#answers, list);
    return list;
  }

  async #shown(list: HTMLElement, work: () => Promise<void>): Promise<void> {
    list.setAttribute("aria-busy", "true");
    try {
      await work();
    } catch (error) {
      list.append(notice("No answer", (error as Error).message));
    }
    list.removeAttribute("aria-busy");
  }
}

function field(label: string, rows: number): HTMLTextAreaElement {
  return h("textarea", { "aria-label": label, rows, "spellcheck": "false", "autocomplete": "off" });
}

/** The error in a JSON text, in one line. */
function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`;
  }
}

function exchangeView({ request, answer }: Exchange): HTMLElement {
  const { status, text, headers, seconds } = answer;
  const shown = ["x-service-store", "x-service-head", "x-service-version"].filter((name) =>
    headers.has(name)
  );
  const lines = text.slice(0, CHARACTERS_MAX).split("\n").map((line) => prettyLine(line)).join("\n")
    .trimEnd();
  return h(
    "section",
    { "class": "exchange", "aria-label": request },
    h(
      "div",
      { class: "part-head" },
      h("span", { class: `status ${status < 300 ? "good" : "bad"}` }, String(status)),
      h("code", {}, request),
      h("span", { class: "spring" }),
      h("span", { class: "quiet" }, durationText(seconds)),
    ),
    ...shown.map((name) => h("p", { class: "header-line" }, `${name}: ${headers.get(name)}`)),
    lines === "" ? h("p", { class: "quiet" }, "no body") : h(
      "pre",
      { "class": "payload", "tabindex": 0, "aria-label": "answer" },
      visibleText(lines) + (text.length > CHARACTERS_MAX ? " \u2026" : ""),
    ),
  );
}

/** Errors and results in lines, events one below the other. */
function prettyLine(line: string): string {
  if (line.startsWith('{"sequence":') || line.startsWith('{"hasMore":')) return line;
  return prettyParts(line)?.map(({ text }) => text).join("") ?? line;
}
