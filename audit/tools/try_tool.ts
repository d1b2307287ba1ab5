import { join } from "node:path";
import { eventually } from "../../tests/support/eventually.ts";
import { injectionOf, type Trial, trialText } from "../faults/trials.ts";
import { AuditFailure } from "../report.ts";
import { straceOfFiles, straceToEnd } from "../server/strace.ts";
import { countCalls, hasEnded, hasInjected } from "../server/traced_calls.ts";
import { faultsAfter, faultsAfterNext, type Laid } from "./check_tool.ts";
import { type Ended, ToolRunner } from "./directory.ts";
import { TOOLS } from "./tools.ts";

/** `rename` is called by the runtime. SQLite and the runtime make all others. */
export const CALLS = [
  "openat",
  "read",
  "pread64",
  "write",
  "pwrite64",
  "fsync",
  "ftruncate",
  "unlink",
  "rename",
];

/** The suffixes of the files of a database in SQLite. */
const DATABASE_ENDS = ["", "-wal", "-shm", "-journal"];

export interface TriedTool {
  /** True when a call failed at all. */
  readonly isTouched: boolean;
  /** The output of the tool and its exit code. */
  readonly ended: Ended;
}

/** Runs tools, each time in a fresh copy of the same directory, and checks the files that they leave. */
export class ToolTrials implements AsyncDisposable {
  readonly #runner = new ToolRunner();
  readonly #directory: string;
  readonly #template: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#template = join(directory, "template");
  }

  /** @param directory an empty directory */
  static async in(directory: string): Promise<ToolTrials> {
    const trials = new ToolTrials(directory);
    await trials.#runner.prepare(trials.#template);
    return trials;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#runner[Symbol.asyncDispose]();
  }

  /** Counts how often a tool makes each call when all calls succeed. @throws AuditFailure when the tool fails */
  async count(name: string): Promise<Map<string, number>> {
    const laid = this.#lay(name);
    const { ended, trace } = await this.#run(laid, CALLS.join());
    const faults = ended.code === 0 ? await faultsAfter(laid, ended) : [ended.stderr];
    if (faults.length > 0) throw new AuditFailure(`${name}, on a disk that works`, faults);
    Deno.removeSync(laid.directory, { recursive: true });
    return countCalls(trace);
  }

  /** @param trial its occasion is the name of a tool @throws AuditFailure */
  async meet(trial: Trial): Promise<TriedTool> {
    const laid = this.#lay(trial.occasion);
    const { ended, trace } = await this.#run(laid, trial.call, injectionOf(trial));
    const isTouched = hasInjected(trace);
    const faults = await faultsAfter(laid, ended);
    if (ended.code !== 0) {
      if (!isTouched) faults.push("it failed, and no call did");
      const next = await this.#runner.run(laid.directory, laid.tool.program, laid.tool.args);
      faults.push(...await faultsAfterNext(laid, next));
    }
    if (faults.length > 0) throw new AuditFailure(trialText(trial), faults);
    Deno.removeSync(laid.directory, { recursive: true });
    return { isTouched, ended };
  }

  /** Always uses the same path, so that a trial meets the same calls. */
  #lay(name: string): Laid {
    const tool = TOOLS[name];
    if (tool === undefined) throw new Error(`there is no tool "${name}"`);
    const directory = join(this.#directory, "tried");
    Deno.mkdirSync(directory, { mode: 0o700 });
    tool.lay(this.#template, directory);
    return { tool, template: this.#template, directory };
  }

  async #run(
    { tool, directory }: Laid,
    calls: string,
    injection?: string,
  ): Promise<{ readonly ended: Ended; readonly trace: string }> {
    const output = join(this.#directory, "strace");
    const files = tool.files.flatMap((name) =>
      name.includes(".db") ? DATABASE_ENDS.map((end) => name + end) : [name]
    );
    const paths = files.map((name) => join(directory, name));
    const strace = await straceOfFiles(paths, output, calls, injection);
    const { namedByProcess } = tool;
    const under = straceToEnd(strace, namedByProcess && join(directory, namedByProcess));
    const ended = await this.#runner.run(directory, tool.program, tool.args, under);
    // The tracer is the first to see the end of the program, but may still have to write.
    await eventually(() => {
      if (!hasEnded(Deno.readTextFileSync(output), ended.pid)) throw new Error("the trace has no end");
    }, 60);
    const trace = Deno.readTextFileSync(output);
    Deno.removeSync(output);
    return { ended, trace };
  }
}
