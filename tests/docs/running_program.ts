/** A program in a terminal of its own. Disposing of it kills the program and every process that it has started. */
export class RunningProgram implements AsyncDisposable {
  /** Standard output so far. */
  printed = "";
  /** Standard error so far. */
  complaints = "";
  readonly #child: Deno.ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(command: string, cwd: string) {
    this.#child = new Deno.Command("bash", {
      args: ["-c", command],
      cwd,
      env: { NO_COLOR: "1" },
      // A process group of its own, which can be killed as a whole.
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#ended = Promise.all([
      this.#child.status,
      this.#collect(this.#child.stdout, (text) => this.printed += text),
      this.#collect(this.#child.stderr, (text) => this.complaints += text),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      Deno.kill(-this.#child.pid, "SIGKILL");
    } catch (error) {
      // It may have ended by itself.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    await this.#ended;
  }

  async #collect(
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
    keep: (text: string) => void,
  ): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) keep(text);
  }
}
