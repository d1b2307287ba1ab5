import { Consumers, type ConsumerState, type ConsumerSummary } from "../../../client/consume/consumers.ts";
import type { App, View } from "../frame/app.ts";
import type { Route } from "../frame/route.ts";
import { h, replace } from "../parts/dom.ts";
import { wholeText } from "../parts/format.ts";
import { notice } from "../parts/parts.ts";
import { Redrawn } from "../parts/redrawn.ts";
import { regularly } from "../parts/regularly.ts";
import { visibleLine } from "../parts/visible_text.ts";
import { clientServer } from "../store/client_server.ts";
import { consumerFacts, consumerList, partitionTable } from "./consumer_parts.ts";
import { DropDialog } from "./drop_dialog.ts";
import { type ParkedActions, parkedPart } from "./parked_part.ts";

const PAUSE_MILLISECONDS = 3000;

/** Lists the consumers of the client library, or shows one, with its parked events. */
export class ConsumersView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #consumers: Consumers;
  readonly #content = h("div", { class: "consumers" });
  readonly #dialog = new DropDialog();
  /** The list and each consumer have parts of their own. */
  #parts: readonly Redrawn[] = [];
  #name: string | undefined;
  #isChanging = false;
  #ending = new AbortController();

  constructor(app: App) {
    this.#app = app;
    this.#consumers = new Consumers(clientServer(app.calls));
    this.element = h(
      "div",
      { "class": "view consumers-view", "tabindex": 0, "role": "region", "aria-label": "Consumers" },
      this.#content,
      this.#dialog.element,
    );
  }

  show({ consumer }: Route): void {
    this.hide();
    if (consumer !== this.#name) this.#clear();
    this.#name = consumer;
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    void regularly(PAUSE_MILLISECONDS, () => this.#read(consumer, signal), signal);
  }

  hide(): void {
    this.#ending.abort();
    this.#dialog.element.close();
  }

  reload(): void {
    this.#clear();
    this.show(this.#app.route);
  }

  forget(): void {
    this.#clear();
  }

  resume(): void {
    this.show(this.#app.route);
  }

  #clear(): void {
    this.#parts = [];
    replace(this.#content);
  }

  async #read(name: string | undefined, signal: AbortSignal): Promise<void> {
    const { calls, catalog } = this.#app;
    try {
      // Without it, types have no colours.
      if (catalog.current === undefined) await catalog.read(calls, signal);
      const draw = await (name === undefined ? this.#readList(signal) : this.#readOne(name, signal));
      if (!signal.aborted && !this.#dialog.element.open) draw();
    } catch (error) {
      // The rows stay, since StoreCalls reports the failure.
      if (signal.aborted || this.#parts.length > 0) return;
      this.#explain("The consumers could not be read", (error as Error).message);
    }
  }

  /** @returns draws the list */
  async #readList(signal: AbortSignal): Promise<() => void> {
    const listed = await this.#consumers.list({ signal });
    return () => this.#drawList(listed);
  }

  /** @returns draws the consumer */
  async #readOne(name: string, signal: AbortSignal): Promise<() => void> {
    const found = await this.#consumers.get(name, { signal });
    if (found !== undefined) return () => this.#drawOne(found);
    return () => this.#explain("No such consumer", `There is no consumer ${visibleLine(name)}.`);
  }

  #explain(title: string, text: string): void {
    this.#clear();
    replace(this.#content, notice(title, text));
  }

  #drawList(listed: readonly ConsumerSummary[]): void {
    const [list] = this.#partsFor(1);
    list!.draw(listed.map(({ head: _, ...shown }) => shown), () => consumerList(listed));
  }

  #drawOne({ head: _, parked, partitions, ...facts }: ConsumerState): void {
    const { name } = facts;
    const actions: ParkedActions = {
      retry: (which) => void this.#change(() => this.#consumers.retry(name, which), "will be handled again"),
      drop: (which) => {
        const drop = (): void => void this.#change(() => this.#consumers.drop(name, which), "dropped");
        this.#dialog.ask(which, drop);
      },
    };
    const [first, second, third] = this.#partsFor(3);
    first!.draw(facts, () => consumerFacts(facts));
    second!.draw(parked, () => parkedPart(this.#app, parked, actions));
    third!.draw(partitions, () => partitionTable(partitions));
  }

  #partsFor(count: number): readonly Redrawn[] {
    if (this.#parts.length !== count) {
      this.#parts = Array.from({ length: count }, () => new Redrawn());
      replace(this.#content, ...this.#parts.map(({ element }) => element));
    }
    return this.#parts;
  }

  /** @param done says what has happened to the events */
  async #change(work: () => Promise<number>, done: string): Promise<void> {
    // A second press would do the same again.
    if (this.#isChanging) return;
    this.#isChanging = true;
    const app = this.#app;
    const { signal } = this.#ending;
    try {
      const count = await work();
      const events = `${wholeText(count)} parked ${count === 1 ? "event" : "events"}`;
      app.say(count === 0 ? "No such event is parked any more" : `${events} ${done}`);
    } catch (error) {
      const { message, outcomeUnknown } = error as Error & { readonly outcomeUnknown?: boolean };
      app.say(
        outcomeUnknown ? "The store has not answered. The list below shows if it has happened" : message,
      );
    } finally {
      this.#isChanging = false;
    }
    // Another view or consumer may be shown by now.
    if (!signal.aborted) this.show(app.route);
  }
}
