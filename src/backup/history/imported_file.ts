import type { PreparedEvent } from "../../store/core/prepare_event.ts";
import type { ReadBytes } from "./lines.ts";

/** Reads events from the bytes of a file, in batches. */
export type ReadEvents = (read: ReadBytes) => Iterable<readonly PreparedEvent[]>;

/** A file with events to import; `-` is standard input. */
export class ImportedFile implements Disposable {
  readonly #name: string;
  readonly #file: Deno.FsFile | undefined;

  /** @throws Error when there is no such file, or it cannot be read */
  constructor(path: string) {
    const isStdin = path === "-";
    this.#name = isStdin ? "standard input" : path;
    this.#file = isStdin ? undefined : openFile(path);
  }

  /** Returns its events in batches. @throws Error that names the file and the line at fault */
  *events(eventsOf: ReadEvents): Generator<readonly PreparedEvent[], void> {
    const input = this.#file ?? Deno.stdin;
    try {
      yield* eventsOf((bytes) => input.readSync(bytes));
    } catch (error) {
      throw new Error(`${this.#name} was not imported: ${(error as Error).message}`);
    }
  }

  [Symbol.dispose](): void {
    this.#file?.close();
  }
}

function openFile(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
}
