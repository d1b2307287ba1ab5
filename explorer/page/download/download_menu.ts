import type { App } from "../frame/app.ts";
import { h } from "../parts/dom.ts";
import { wholeText } from "../parts/format.ts";
import { button, closeMenu, menu } from "../parts/parts.ts";
import {
  type EventFile,
  eventFile,
  FILE_MAX,
  type FileFormat,
  FORMATS,
  type ListRange,
} from "./event_file.ts";

/** The pause between two messages about the progress. */
const SAY_MILLISECONDS = 1000;

/** The browser has read the file by then. */
const REVOKE_MILLISECONDS = 60_000;

/** The menu that makes a file of the events of the list. */
export class DownloadMenu {
  readonly element: HTMLDetailsElement;
  readonly #app: App;
  readonly #rangeOf: () => Promise<ListRange>;
  readonly #choices: readonly HTMLButtonElement[];
  readonly #stop: HTMLButtonElement;
  #ending = new AbortController();

  /** @param rangeOf returns the range of the list */
  constructor(app: App, rangeOf: () => Promise<ListRange>) {
    this.#app = app;
    this.#rangeOf = rangeOf;
    this.#choices = FORMATS.map((format) => button(format.name, () => void this.#run(format)));
    this.#stop = button("Stop", () => this.#ending.abort());
    this.#stop.hidden = true;
    const most = `The events of this list, at most ${wholeText(FILE_MAX.events)} or about 100 MB.`;
    this.element = menu("Download", ...this.#choices, this.#stop, h("p", { class: "quiet" }, most));
    this.element.classList.add("download");
  }

  async #run(format: FileFormat): Promise<void> {
    const { calls } = this.#app;
    const say = (text: string): void => this.#app.say(text);
    closeMenu(this.element);
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.#showRunning(true);
    let saidAt = -Infinity;
    try {
      const file = await eventFile(await this.#rangeOf(), {
        format,
        read: (request) => calls.eventLines(request, signal),
        onProgress(count) {
          if (performance.now() - saidAt < SAY_MILLISECONDS) return;
          saidAt = performance.now();
          say(`Reading ${wholeText(count)} events \u2026`);
        },
      });
      signal.throwIfAborted();
      save(file, format);
      say(textOf(file));
    } catch (error) {
      say(signal.aborted ? "The download was stopped" : `No download: ${(error as Error).message}`);
    } finally {
      this.#showRunning(false);
    }
  }

  #showRunning(isRunning: boolean): void {
    for (const choice of this.#choices) choice.hidden = isRunning;
    this.#stop.hidden = !isRunning;
  }
}

function textOf({ count, isCut }: EventFile): string {
  const text = `Downloaded ${wholeText(count)} event${count === 1 ? "" : "s"}`;
  return isCut ? `${text}, the most of one file. eventstore-client read --json has no limit` : text;
}

function save({ parts }: EventFile, { extension, mediaType }: FileFormat): void {
  const url = URL.createObjectURL(new Blob([...parts], { type: mediaType }));
  const moment = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  h("a", { href: url, download: `events-${moment}.${extension}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MILLISECONDS);
}
