import { type Passage, TcpProxy } from "../../tests/support/tcp_proxy.ts";
import { StatementNames } from "./statement_names.ts";

/** The stages in the transaction of a group: the message locks the row of the store, commits, or is any other one. */
export const STAGES = ["lock", "commit", "any"] as const;

/** The part of that message that PostgreSQL still receives. When it receives all of it, the answer is lost. */
export const ARRIVING = ["nothing", "half", "all"] as const;

/** A cut of one connection: the connection that reaches this stage first. */
export class Cut {
  readonly at: (typeof STAGES)[number];
  readonly arrives: (typeof ARRIVING)[number];
  /** True once a connection has reached it, or no further one may. */
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

  /** Allows the cut on one of its connections, if that one is first. */
  expect(cut: Cut): void {
    this.#expected = cut;
  }

  /** From now on no bytes pass, in either direction, and neither side is notified. */
  silence(): void {
    this.#silence ??= Promise.withResolvers();
  }

  /** Delivers the bytes that were held back. */
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
    // From now on the server must not receive the answer of PostgreSQL.
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
  return asked.includes("COMMIT") && asked.some((sql) => sql.startsWith("INSERT INTO turn"));
}
