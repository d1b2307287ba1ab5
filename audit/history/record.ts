import type { WireEvent } from "./wire_event.ts";

/*
 * The requests of clients and the answers that they received: the history that every check relies on. It is written to
 * a file before a request is sent and after its answer was received. So it survives a crash of the audit itself.
 */

/** A projection after a write. Without a payload it is deleted. */
export interface ProjectionChange {
  readonly type: string;
  readonly id: string;
  readonly payload: string | undefined;
}

export type Act =
  | {
    readonly kind: "write";
    readonly events: readonly WireEvent[];
    readonly projections: readonly ProjectionChange[];
    /**
     * `doomed`: depends on something that the client expects not to hold. `rolledBack`: the client rolls it back, where
     * the edition allows that.
     */
    readonly condition: "none" | "doomed" | "rolledBack";
  }
  | { readonly kind: "deleteProjections"; readonly type: string | undefined }
  | { readonly kind: "forget"; readonly subject: string; readonly events: readonly WireEvent[] }
  | { readonly kind: "reset" | "pause" | "resume" | "optimize" };

/** An act that a client was about to request. A client waits for one answer before its next request. */
export interface Intent {
  readonly id: number;
  readonly client: string;
  readonly act: Act;
}

/** The outcome of the act, as far as its client knows. Without such an entry, the outcome is unknown. */
export interface Answer {
  readonly id: number;
  readonly fate: "done" | "rejected";
  /** The status of the last answer; 0 when the server was gone before the client had requested the end of its write. */
  readonly status: number;
  readonly sequences?: readonly number[];
  readonly times?: readonly string[];
  /** The versions of the projections in the order of the act; null for deleted ones. */
  readonly versions?: readonly (string | null)[];
  /** The ID of the store after a reset. */
  readonly storeId?: string;
}

export type Entry = { readonly intent: Intent } | { readonly answer: Answer };

/** The entries of one round, in the order in which they were recorded. */
export class HistoryRecorder implements Disposable {
  readonly path: string;
  readonly entries: Entry[] = [];
  readonly #file: Deno.FsFile;
  readonly #encoder = new TextEncoder();
  #lastId: number;

  /** @param lastId the last number of the earlier rounds */
  constructor(path: string, lastId: number) {
    this.path = path;
    this.#lastId = lastId;
    this.#file = Deno.openSync(path, { write: true, create: true, append: true });
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** The number of acknowledged acts. */
  get done(): number {
    return this.entries.filter((entry) => "answer" in entry && entry.answer.fate === "done").length;
  }

  /** @param make returns the act of the client; it may contain its own number */
  intend(client: string, make: (id: number) => Act): Intent {
    const id = ++this.#lastId;
    const intent: Intent = { id, client, act: make(id) };
    this.#add({ intent });
    return intent;
  }

  recordAnswer(answer: Answer): void {
    this.#add({ answer });
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  #add(entry: Entry): void {
    const line = this.#encoder.encode(`${JSON.stringify(entry)}\n`);
    for (let written = 0; written < line.length;) written += this.#file.writeSync(line.subarray(written));
    this.entries.push(entry);
  }
}
