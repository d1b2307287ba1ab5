import { type Passage, TcpProxy } from "../../tests/support/tcp_proxy.ts";
import { StatementNames } from "./statement_names.ts";

/** What a message does in the transaction of a group: it locks the row of the store, or commits; or is another one. */
export const STAGES = ["lock", "commit", "any"] as const;

/** How much of that message still arrives. When all of it does, it is the answer that is lost. */
export const ARRIVING = ["nothing", "half", "all"] as const;

/** A cut of one connection: of the one that comes to this stage first. */
export class Cut {
  readonly at: (typeof STAGES)[number];
  readonly arrives: (typeof ARRIVING)[number];
  /** Whether a connection has come to it, or none is to come any more. */
  isTaken = false;
  isMade = false;

  constructor(at: Cut["at"], arrives: Cut["arrives"]) {
    this.at = at;
    this.arrives = arrives;
  }
}

/** The connections of one server to PostgreSQL. They can be cut, or fall silent. */
export class DisturbedConnection extends TcpProxy {
  readonly #names = new WeakMap<Passage, StatementNames>();
  readonly #unanswered = new WeakMap<Passage, Cut>();
  #expected: Cut | undefined;
  #silence: PromiseWithResolvers<void> | undefined;

  /** The cut may be one of its connections, if it comes first. */
  expect(cut: Cut): void {
    this.#expected = cut;
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
    if (cut?.arrives === "all") this.#unanswered.set(passage, cut);
    if (cut === undefined || cut.arrives === "all") return await super.forth(bytes, passage);
    // From now on the server must not hear what PostgreSQL makes of the message.
    passage.isCut = true;
    if (cut.arrives === "half") await super.forth(bytes.subarray(0, Math.floor(bytes.length / 2)), passage);
    await this.#make(cut, passage);
  }

  protected override async back(bytes: Uint8Array, passage: Passage): Promise<void> {
    await this.#silence?.promise;
    const cut = this.#unanswered.get(passage);
    if (cut !== undefined) await this.#make(cut, passage);
    else if (!passage.isCut) await super.back(bytes, passage);
  }

  async #make(cut: Cut, passage: Passage): Promise<void> {
    cut.isMade = true;
    await this.cut(passage);
  }

  #cutFor(bytes: Uint8Array, passage: Passage): Cut | undefined {
    let names = this.#names.get(passage);
    if (names === undefined) this.#names.set(passage, names = new StatementNames());
    const asked = names.statementsIn(bytes);
    const cut = this.#expected;
    if (cut === undefined || cut.isTaken || !isOf(cut.at, asked)) return undefined;
    cut.isTaken = true;
    return cut;
  }
}

function isOf(stage: Cut["at"], asked: readonly string[]): boolean {
  if (stage === "any") return asked.length > 0;
  if (stage === "lock") return asked.some((sql) => sql.endsWith("FOR UPDATE"));
  return asked.includes("COMMIT") && asked.some((sql) => sql.startsWith("UPDATE "));
}
