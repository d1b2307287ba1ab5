import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { SHORT_RUN } from "../support/java_tools.ts";
import type { AxonBuild } from "./axon_build.ts";

/** A start of the Java runtime with Spring Boot, on a busy machine. */
const START_SECONDS = 60;

/** The sample application, with its tables in a directory that outlives it. */
export class University implements AsyncDisposable {
  readonly #java: string;
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #port = freePort();
  #child: Deno.ChildProcess | undefined;
  #printed = "";
  #reading: Promise<unknown> = Promise.resolve();

  constructor(java: string, build: AxonBuild, env: Readonly<Record<string, string>>) {
    this.#java = java;
    this.#directory = join(build.directory, "sample");
    this.#env = env;
  }

  /** Starts it, and waits until it is ready. */
  async start(): Promise<void> {
    const jar = Array.from(Deno.readDirSync(join(this.#directory, "target")), ({ name }) => name)
      .find((name) => /^eventstore-axon-sample-[\d.]+\.jar$/.test(name));
    if (jar === undefined) throw new Error("the sample was not built");
    const child = new Deno.Command(this.#java, {
      args: [...SHORT_RUN, "-jar", join("target", jar)],
      cwd: this.#directory,
      env: { ...this.#env, SERVER_PORT: String(this.#port) },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#child = child;
    this.#printed = "";
    this.#reading = Promise.all([this.#read(child.stdout), this.#read(child.stderr)]);
    let isOver = false;
    child.status.then(() => isOver = true);
    await eventually(() => {
      if (!/Started University/.test(this.#printed) && !isOver) throw new Error(this.#printed);
    }, START_SECONDS);
    if (isOver) throw new Error(this.#printed);
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#child?.status;
    await this.#reading;
    this.#child = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  /** The status and the text of an answer. */
  async request(method: "GET" | "PUT", path: string): Promise<{ status: number; text: string }> {
    const url = `http://127.0.0.1:${this.#port}${path}`;
    const response = await fetch(url, { method, signal: AbortSignal.timeout(START_SECONDS * 1000) });
    return { status: response.status, text: await response.text() };
  }

  /** The JSON of an answer. */
  async get(path: string): Promise<unknown> {
    const { status, text } = await this.request("GET", path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}\n${this.#printed}`);
    return JSON.parse(text);
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) this.#printed += text;
  }
}
