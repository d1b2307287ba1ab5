import type { WireEvent } from "./wire_event.ts";

/*
 * What clients asked for, and what they were told: the evidence of every check. It is written to a file before a
 * request is sent and after its answer has come, so that it survives whatever happens to the audit itself.
 */

/** A projection after a write; without a payload it is deleted. */
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
     * `doomed`: rests on something that the client expects not to hold. `rolledBack`: the client takes it back, where
     * the edition lets it.
     */
    readonly condition: "none" | "doomed" | "rolledBack";
  }
  | { readonly kind: "deleteProjections"; readonly type: string | undefined }
  | { readonly kind: "reset" | "pause" | "resume" | "optimize" };

/** What a client was about to ask for. A client waits for one answer before it asks again. */
export interface Intent {
  readonly id: number;
  readonly client: string;
  readonly act: Act;
}

/** How the act ended, as far as its client knows. Without such an entry, anything may have happened to it. */
export interface Answered {
  readonly id: number;
  readonly fate: "done" | "rejected";
  /** Of the last answer; 0 when the server was gone before the client had asked for the end of its write. */
  readonly status: number;
  readonly sequences?: readonly number[];
  readonly times?: readonly string[];
  /** Of the projections in the order of the act; null for those that it deleted. */
  readonly versions?: readonly (string | null)[];
  /** Of the store after a reset. */
  readonly storeId?: string;
}

export type Entry = { readonly intent: Intent } | { readonly told: Answered };

/** The entries of one round, in the order in which they came about. */
export class HistoryRecorder implements Disposable {
  readonly path: string;
  readonly entries: Entry[] = [];
  readonly #file: Deno.FsFile;
  readonly #encoder = new TextEncoder();
  #lastId: number;

  /** @param lastId those of this round follow it */
  constructor(path: string, lastId: number) {
    this.path = path;
    this.#lastId = lastId;
    this.#file = Deno.openSync(path, { write: true, create: true, append: true });
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** How many acts were acknowledged. */
  get done(): number {
    return this.entries.filter((entry) => "told" in entry && entry.told.fate === "done").length;
  }

  /** @param make what the client asks for; it may name its own number */
  intend(client: string, make: (id: number) => Act): Intent {
    const id = ++this.#lastId;
    const intent: Intent = { id, client, act: make(id) };
    this.#add({ intent });
    return intent;
  }

  tell(told: Answered): void {
    this.#add({ told });
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
