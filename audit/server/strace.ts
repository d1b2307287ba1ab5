import { join } from "node:path";
import { debianProgram } from "../../tests/system/support/debian_program.ts";

/** What a server does to the files of its data directory, as `strace` reports it or lets it fail. */
export interface Strace {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly options: readonly string[];
}

/**
 * @param output where it writes what it saw
 * @param calls the system calls to look at
 * @param injection what happens to one of them, such as `fsync:signal=KILL:when=3`. Each thread counts for itself,
 *   and one thread does all writing. Without one, the calls are only reported.
 */
export function straceOf(
  dataDir: string,
  output: string,
  calls: string,
  injection?: string,
): Promise<Strace> {
  return straceOfFiles(FILES.map((name) => join(dataDir, name)), output, calls, injection);
}

/** What a server writes to in its data directory, and the directory itself. */
const FILES = [
  "",
  "events.db",
  "events.db-wal",
  "events.db.new",
  "events.db.new-wal",
  "events.db.new-journal",
  "service.paused",
];

/** The same for any files. @param files their paths; they need not exist yet */
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

/** The words before a server's command, so that the tracer stands beside it and the server keeps its process ID. */
export function straceCommand({ path, environment, options }: Strace): string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return ["env", ...variables, path, "--daemonize", "--quiet=attach,exit", ...options];
}

/**
 * The words before the command of a program that ends by itself, and whose end the trace shows.
 * @param path a file that it writes as `<path>.<process ID>.new` first, which counts as one of its files
 */
export function straceToEnd({ path: program, environment, options }: Strace, path?: string): string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const words = ["env", ...variables, program, "--daemonize", "--quiet=attach", ...options];
  if (path === undefined) return words;
  const quoted = words.map((word) => `'${word}'`).join(" ");
  // The shell becomes the tracer, and that the program: all of them have one process ID.
  return ["sh", "-c", `exec ${quoted} "--trace-path=$0.$$.new" "$@"`, path];
}

const DETACHED_MILLISECONDS = 60_000;

/** Attaches to a server that runs; ends with it. */
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

  /** After the server has ended; or lets it go on alone. */
  async detach(): Promise<void> {
    try {
      this.#child.kill("SIGINT");
    } catch {
      // It has ended with the server.
    }
    // Seen once: it went on waiting for a server that had ended meanwhile.
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), DETACHED_MILLISECONDS);
    await Promise.all([this.#child.status, this.#reading]);
    clearTimeout(timer);
  }
}
