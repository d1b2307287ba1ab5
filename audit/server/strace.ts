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
 *   and one thread does all writing.
 */
export async function straceOf(
  dataDir: string,
  output: string,
  calls: string,
  injection: string,
): Promise<Strace> {
  const { path, environment } = await debianProgram("strace");
  const files = [
    "",
    "events.db",
    "events.db-wal",
    "events.db.new",
    "events.db.new-wal",
    "events.db.new-journal",
  ];
  const options = [
    "--follow-forks",
    "--seccomp-bpf",
    "--decode-fds=path",
    `--output=${output}`,
    `--trace=${calls}`,
    ...files.map((name) => `--trace-path=${join(dataDir, name)}`),
    `--inject=${injection}`,
  ];
  return { path, environment, options };
}

/** The words before a server's command, so that the tracer stands beside it and the server keeps its process ID. */
export function straceCommand({ path, environment, options }: Strace): string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return ["env", ...variables, path, "--daemonize", "--quiet=attach,exit", ...options];
}

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
    await Promise.all([this.#child.status, this.#reading]);
  }
}
