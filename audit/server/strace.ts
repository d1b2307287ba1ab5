import { join } from "node:path";
import { debianProgram } from "../../tests/system/support/debian_program.ts";

/**
 * Options of `strace` for a server: it reports the calls on the files of the data directory, or injects faults into
 * them.
 */
export interface Strace {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly options: readonly string[];
}

/**
 * @param output the file for the trace
 * @param calls the system calls to trace
 * @param injection the fault of one of them, such as `fsync:signal=KILL:when=3`. Each thread counts for itself, and one
 *   thread does all writing. Without an injection, the calls are only reported.
 */
export function straceOf(
  dataDir: string,
  output: string,
  calls: string,
  injection?: string,
): Promise<Strace> {
  return straceOfFiles(FILES.map((name) => join(dataDir, name)), output, calls, injection);
}

/** The files that a server writes in its data directory, and the directory itself. */
const FILES = [
  "",
  "events.db",
  "events.db-wal",
  "events.db.new",
  "events.db.new-wal",
  "events.db.new-journal",
  "service.paused",
];

/** The same for any files. @param files their paths; the files need not exist yet */
export async function straceOfFiles(
  files: readonly string[],
  output: string,
  calls: string,
  injection?: string,
): Promise<Strace> {
  const { path, environment } = await debianProgram("strace");
  const options = [
    "--follow-forks",
    "--seccomp-bpf",
    "--decode-fds=path",
    `--output=${output}`,
    `--trace=${calls}`,
    ...files.map((file) => `--trace-path=${file}`),
    ...injection === undefined ? [] : [`--inject=${injection}`],
  ];
  return { path, environment, options };
}

/** The words before a server's command. The tracer then runs next to the server, which keeps its process ID. */
export function straceCommand({ path, environment, options }: Strace): string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return ["env", ...variables, path, "--daemonize", "--quiet=attach,exit", ...options];
}

/**
 * The words before the command of a program that ends by itself. The trace shows its end.
 * @param path a file that it first writes as `<path>.<process ID>.new`, which counts as one of its files
 */
export function straceToEnd({ path: program, environment, options }: Strace, path?: string): string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const words = ["env", ...variables, program, "--daemonize", "--quiet=attach", ...options];
  if (path === undefined) return words;
  const quoted = words.map((word) => `'${word}'`).join(" ");
  // The shell becomes the tracer, and the tracer the program: all of them have one process ID.
  return ["sh", "-c", `exec ${quoted} "--trace-path=$0.$$.new" "$@"`, path];
}

const DETACHED_MILLISECONDS = 60_000;

/** A tracer attached to a running server. It ends with the server. */
export class AttachedStrace {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<void>;

  private constructor(child: Deno.ChildProcess, reading: Promise<void>) {
    this.#child = child;
    this.#reading = reading;
  }

  static async to(pid: number, { path, environment, options }: Strace): Promise<AttachedStrace> {
    // Only a tracer that starts its program can filter calls in the kernel.
    const args = [...options.filter((option) => option !== "--seccomp-bpf"), `--attach=${pid}`];
    const child = new Deno.Command(path, {
      args,
      env: { ...environment },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const attached = Promise.withResolvers<void>();
    const reading = (async () => {
      let printed = "";
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
        printed = (printed + text).slice(-1000);
        if (/attached/.test(printed)) attached.resolve();
      }
      attached.reject(new Error(`strace ended: ${printed}`));
    })();
    await attached.promise;
    return new AttachedStrace(child, reading);
  }

  /** Detaches from the server, which continues alone; or waits for the tracer when the server has ended. */
  async detach(): Promise<void> {
    try {
      this.#child.kill("SIGINT");
    } catch {
      // It has ended with the server.
    }
    // Observed once: it continued to wait for a server that had ended meanwhile.
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), DETACHED_MILLISECONDS);
    await Promise.all([this.#child.status, this.#reading]);
    clearTimeout(timer);
  }
}
