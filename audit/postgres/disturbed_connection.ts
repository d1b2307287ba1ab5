import { type Passage, TcpProxy } from "../../tests/support/tcp_proxy.ts";
import { StatementNames } from "./statement_names.ts";

/** What a message does in the transaction of a group: it locks the row of the store, or commits; or is another one. */
export const STAGES = ["lock", "commit", "any"] as const;

/** How much of that message still arrives. When all of it does, it is the answer that is lost. */
export const ARRIVING = ["nothing", "half", "all"] as const;

/** When a connection is cut. */
export interface Cut {
  readonly at: (typeof STAGES)[number];
  readonly arrives: (typeof ARRIVING)[number];
}

/** The connections of one server to PostgreSQL. They can be cut, or fall silent. */
export class DisturbedConnection extends TcpProxy {
  /** Cuts that were made. */
  cuts = 0;
  readonly #names = new WeakMap<Passage, StatementNames>();
  readonly #unanswered = new WeakSet<Passage>();
  #awaited: Cut | undefined;
  #silence: PromiseWithResolvers<void> | undefined;

  /** Cuts the connection of which the next message of this stage comes. */
  cutAt(cut: Cut): void {
    this.#awaited = cut;
  }

  /** Takes back a cut that nobody came for. */
  spare(): void {
    this.#awaited = undefined;
  }

  /** From now on nothing gets through, in either direction, and nobody is told. */
  silence(): void {
    this.#silence ??= Promise.withResolvers();
  }

  /** What was held back arrives. */
  resume(): void {
    this.#silence?.resolve();
    this.#silence = undefined;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.resume();
    await super[Symbol.asyncDispose]();
  }

  protected override async forth(bytes: Uint8Array, passage: Passage): Promise<void> {
    await this.#silence?.promise;
    const cut = this.#cutFor(bytes, passage);
    if (cut?.arrives === "all") this.#unanswered.add(passage);
    if (cut === undefined || cut.arrives === "all") return await super.forth(bytes, passage);
    // From now on the server must not hear what PostgreSQL makes of the message.
    passage.isCut = true;
    if (cut.arrives === "half") await super.forth(bytes.subarray(0, Math.floor(bytes.length / 2)), passage);
    await this.cut(passage);
  }

  protected override async back(bytes: Uint8Array, passage: Passage): Promise<void> {
    await this.#silence?.promise;
    if (this.#unanswered.has(passage)) await this.cut(passage);
    else if (!passage.isCut) await super.back(bytes, passage);
  }

  protected override async cut(passage: Passage): Promise<void> {
    this.cuts++;
    await super.cut(passage);
  }

  #cutFor(bytes: Uint8Array, passage: Passage): Cut | undefined {
    let names = this.#names.get(passage);
    if (names === undefined) this.#names.set(passage, names = new StatementNames());
    const asked = names.statementsIn(bytes);
    const cut = this.#awaited;
    if (cut === undefined || !isOf(cut.at, asked)) return undefined;
    this.#awaited = undefined;
    return cut;
  }
}

function isOf(stage: Cut["at"], asked: readonly string[]): boolean {
  if (stage === "any") return asked.length > 0;
  if (stage === "lock") return asked.some((sql) => sql.endsWith("FOR UPDATE"));
  return asked.includes("COMMIT") && asked.some((sql) => sql.startsWith("UPDATE "));
}
