const ENTRY = new URL("resets_entry.ts", import.meta.url).pathname;

/** A client in its own process that resets its connections as soon as they are open. */
export class Resets implements AsyncDisposable {
  /** The number of resets, updated every second. */
  count = 0;
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<void>;

  constructor(port: number, perSecond: number) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", "--allow-net=127.0.0.1", ENTRY, String(port), String(perSecond)],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#reading = this.#read(this.#child.stdout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#reading;
  }

  async #read(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    const text = stream.pipeThrough(new TextDecoderStream());
    for await (const lines of text) this.count = Number(lines.trim().split("\n").at(-1));
  }
}
