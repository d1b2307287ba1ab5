import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { debianProgram, ProgramMissing } from "../../tests/system/support/debian_program.ts";
import type { Operation } from "./operations.ts";

export interface Verdict {
  /** Undecided: the time or the memory was not enough. That is never a success. */
  readonly verdict: "linearizable" | "violation" | "undecided";
  readonly operations: number;
  readonly seconds: number;
  /** For a violation: the end of the longest order that was found, and why nothing can follow it. */
  readonly account: readonly string[];
}

export interface CheckOptions {
  readonly timeoutSeconds?: number;
  /** No read may be stale, except reads with `mayLag`. */
  readonly isStrict?: boolean;
  /** Switches off the shortcuts of the search, for comparison. Only for small histories. */
  readonly isPlain?: boolean;
  /** A file for Porcupine's picture of a violation. */
  readonly picture?: string;
}

const SOURCES = fileURLToPath(new URL("checker/", import.meta.url));
const EXIT_CODES: Readonly<Record<number, Verdict["verdict"]>> = {
  0: "linearizable",
  1: "violation",
  2: "undecided",
};

/** The checker in `checker/`, built with the Go of this machine or of Debian. */
export class LinearizabilityChecker implements Disposable {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws ProgramMissing when Go or Porcupine are not installed and cannot be downloaded */
  static async build(): Promise<LinearizabilityChecker> {
    const { path, environment } = await debianProgram("go");
    const directory = Deno.makeTempDirSync({ prefix: "eventstore_linearizability_" });
    const checker = new LinearizabilityChecker(directory);
    // Go stores downloaded and compiled packages below HOME.
    const home = Deno.env.get("HOME") ?? directory;
    const go = (...args: readonly string[]) =>
      new Deno.Command(path, {
        args: [...args],
        cwd: SOURCES,
        env: { ...environment, HOME: home, GOFLAGS: "-mod=readonly -buildvcs=false" },
        stdin: "null",
      }).output();
    try {
      const fetched = await go("mod", "download");
      if (!fetched.success) throw new ProgramMissing("Porcupine", textOf(fetched.stderr));
      const built = await go("build", "-o", checker.#program, ".");
      if (!built.success) throw new Error(`the checker does not build: ${textOf(built.stderr)}`);
    } catch (error) {
      checker[Symbol.dispose]();
      throw error;
    }
    return checker;
  }

  get #program(): string {
    return join(this.#directory, "linearizability");
  }

  async check(history: readonly Operation[], options: CheckOptions = {}): Promise<Verdict> {
    const path = Deno.makeTempFileSync({ dir: this.#directory, suffix: ".jsonl" });
    try {
      Deno.writeTextFileSync(path, linesOf(history));
      return await this.checkFile(path, options);
    } finally {
      Deno.removeSync(path);
    }
  }

  /** @throws Error when the file is not a history */
  async checkFile(path: string, options: CheckOptions = {}): Promise<Verdict> {
    const { timeoutSeconds = 60, isStrict = false, isPlain = false, picture } = options;
    const { code, stdout, stderr } = await new Deno.Command(this.#program, {
      args: [
        `-timeout=${timeoutSeconds}s`,
        `-strict=${isStrict}`,
        `-plain=${isPlain}`,
        ...picture === undefined ? [] : [`-picture=${picture}`],
        path,
      ],
      stdin: "null",
    }).output();
    const verdict = EXIT_CODES[code];
    if (verdict === undefined) throw new Error(`the checker ended with ${code}: ${textOf(stderr)}`);
    const verdictLine: Omit<Verdict, "account"> & { readonly account?: readonly string[] } = JSON.parse(
      textOf(stdout),
    );
    if (verdictLine.verdict !== verdict) {
      throw new Error(`the checker ended with ${code} and said ${verdictLine.verdict}`);
    }
    return { ...verdictLine, account: verdictLine.account ?? [] };
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#directory, { recursive: true });
  }
}

export function linesOf(history: readonly Operation[]): string {
  return history.map((operation) => `${JSON.stringify(operation)}\n`).join("");
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).trim();
}
