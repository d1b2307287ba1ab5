import { join } from "node:path";
import { Client } from "./client.ts";
import type { Address } from "./connection.ts";
import { freePort } from "./free_port.ts";
import { answerCheckOf } from "./openapi/answer_check.ts";
import { startCommand } from "./start_command.ts";
import { storageVariables } from "./test_storage.ts";
import type { Ended } from "./run_command.ts";

/** The time limit of a start or an end, on a busy machine. */
const TIMEOUT_SECONDS = 60;
const LISTENING = /^(?:\S+Z )?eventstore-server: listening on (.+) \(auth=(true|false)\)$/m;

export interface ServerOptions {
  /** Environment variables; any `SERVICE_*` of the caller's own environment is kept out. */
  readonly env?: Readonly<Record<string, string>>;
  /** Text of a configuration file, handed over with `--config`. */
  readonly config?: string;
  /** `none` when the test names the address itself. Default: `tcp`. */
  readonly listen?: "tcp" | "unix" | "none";
  /** True when the test is about the transport that it names. */
  readonly listenOnly?: boolean;
  readonly args?: readonly string[];
  /** The headers of its clients, unless a test names others. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The file mode creation mask to start with, in octal. */
  readonly umask?: string;
  /** The largest heap of each thread, as on a small machine. */
  readonly heapMibMax?: number;
  /** A module that runs in the server's process before its own modules do. Not with `umask`. */
  readonly preload?: URL;
  /**
   * A command that becomes the server, such as a tracer that runs next to it. Its words come before those of the
   * server.
   */
  readonly under?: readonly string[];
  /** An existing directory to run in, which stays when the server is disposed. Default: a fresh one. */
  readonly directory?: string;
}

/** Starts the real program and waits until it accepts connections. */
export async function startServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const server = new ServerProcess(options);
  try {
    await server.start();
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

/** Starts the real program without waiting for anything. */
export function spawnServer(options: ServerOptions = {}): ServerProcess {
  const server = new ServerProcess(options);
  server.spawn();
  return server;
}

/** A server that all tests of a file share. */
export function serverOfFile(options: ServerOptions = {}): ServerProcess {
  const server = new ServerProcess(options);
  Deno.test.beforeAll(() => server.start());
  Deno.test.afterAll(() => server[Symbol.asyncDispose]());
  return server;
}

/** The requests that empty a store, whether it is paused or not. Edition B resets a paused store only. */
const RESETS: Readonly<Record<string, readonly string[]>> = {
  A: ["/reset"],
  B: ["/pause", "/reset", "/resume"],
  C: ["/resume", "/reset"],
};

/** A server in development mode that all tests of a file share. It is empty at the beginning of each test. */
export function sharedServer({ env = {}, ...options }: ServerOptions = {}): ServerProcess {
  const server = serverOfFile({ ...options, env: { SERVICE_DEV_MODE: "true", ...env } });
  const requests = RESETS[env["SERVICE_EDITION"] ?? "A"]!;
  const token = env["SERVICE_AUTH_TOKEN"];
  const client = server.client(token === undefined ? {} : { authorization: `Bearer ${token}` });
  const empty = async (): Promise<void> => {
    for (const path of requests) {
      const { status, text } = await client.request("POST", path);
      if (status !== 200 && status !== 204) throw new Error(`POST ${path}: ${status} ${text}`);
    }
  };
  Deno.test.beforeEach(async () => {
    try {
      await empty();
    } catch {
      // A test that failed may have left the server down, or a transaction open. Only that test is to fail.
      await server.kill().catch(() => {});
      await server.start();
      await empty();
    }
  });
  return server;
}

/** Runs the program to its end, for starts that are rejected and for flags that only print. */
export async function runServer(options: ServerOptions = {}): Promise<Ended> {
  await using server = spawnServer(options);
  return await server.ended(TIMEOUT_SECONDS);
}

interface Place {
  readonly directory: string;
  readonly ownsDirectory: boolean;
  readonly address: Address;
}

/**
 * The transport on which the server listens. With EVENTSTORE_TEST_LISTEN=tcp or unix every test uses that one, except
 * the tests of one transport.
 */
function transportOf({ listen, listenOnly }: ServerOptions): "tcp" | "unix" | "none" {
  const wanted = Deno.env.get("EVENTSTORE_TEST_LISTEN");
  if (listenOnly === true || listen === "none" || (wanted !== "tcp" && wanted !== "unix")) {
    return listen ?? "tcp";
  }
  return wanted;
}

function prepare(options: ServerOptions): Place {
  const directory = options.directory ?? Deno.makeTempDirSync({ prefix: "eventstore_test_" });
  const ownsDirectory = options.directory === undefined;
  if (options.config !== undefined) {
    Deno.writeTextFileSync(join(directory, "test.toml"), options.config, { mode: 0o600 });
  }
  if (transportOf(options) === "unix") {
    return { directory, ownsDirectory, address: { transport: "unix", path: join(directory, "server.sock") } };
  }
  return { directory, ownsDirectory, address: { transport: "tcp", hostname: "127.0.0.1", port: freePort() } };
}

/** One server program in its own directory. A restart keeps directory, address and options. */
export class ServerProcess implements AsyncDisposable {
  readonly directory: string;
  readonly dataDir: string;
  readonly address: Address;
  /** Everything printed since the last start. */
  stdout = "";
  stderr = "";
  readonly #options: ServerOptions;
  readonly #ownsDirectory: boolean;
  #child: Deno.ChildProcess | undefined;
  #ended: Promise<Ended> | undefined;
  #over = false;
  #onOutput: () => void = () => {};

  constructor(options: ServerOptions) {
    const place = prepare(options);
    this.#options = options;
    this.directory = place.directory;
    this.#ownsDirectory = place.ownsDirectory;
    this.address = place.address;
    this.dataDir = options.env?.["SERVICE_DATA_DIR"] ?? join(place.directory, "data");
  }

  get pid(): number {
    if (this.#child === undefined) throw new Error("the server is not running");
    return this.#child.pid;
  }

  /** True from the start of the program to its end. */
  get isRunning(): boolean {
    return this.#child !== undefined && !this.#over;
  }

  get databasePath(): string {
    return join(this.dataDir, "events.db");
  }

  /** A client that fails on every answer that the document of the edition does not describe. */
  client(headers: Readonly<Record<string, string>> | undefined = this.#options.headers): Client {
    const documented = answerCheckOf(this.#edition);
    return new Client(this.address, headers, (asked, reply) => documented.assertDocumented(asked, reply));
  }

  get #edition(): string {
    const { config = "", env = {} } = this.#options;
    return /^edition = "([A-C])"/m.exec(config)?.[1] ?? env["SERVICE_EDITION"] ?? "A";
  }

  /** Spawns the program without waiting for anything. */
  spawn(): void {
    if (this.#child !== undefined) throw new Error("the server is already running");
    const { umask, preload, under = [] } = this.#options;
    const [program, ...args] = [...under, ...startCommand(umask, preload)];
    const child = new Deno.Command(program!, {
      args: [...args, ...this.#configArgs(), ...this.#options.args ?? []],
      cwd: this.directory,
      env: this.#environment(),
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#child = child;
    this.stdout = this.stderr = "";
    this.#over = false;
    const reading = [
      this.#collect(child.stdout, (text) => this.stdout += text),
      this.#collect(child.stderr, (text) => this.stderr += text),
    ];
    this.#ended = child.status.then(async ({ code }) => {
      this.#over = true;
      await Promise.all(reading);
      this.#onOutput();
      return { code, stdout: this.stdout, stderr: this.stderr };
    });
  }

  async start(): Promise<void> {
    this.spawn();
    await this.waitForOutput((stdout) => LISTENING.test(stdout), TIMEOUT_SECONDS);
  }

  /** Resolves when what was printed to standard output so far satisfies the test. */
  async waitForOutput(satisfies: (stdout: string) => boolean, seconds = 5): Promise<void> {
    const endsAt = performance.now() + seconds * 1000;
    while (!satisfies(this.stdout)) {
      if (this.#over) await this.#ended;
      if (this.#over && !satisfies(this.stdout)) throw new Error(`the server ended\n${this.#output()}`);
      if (performance.now() > endsAt) throw new Error(`not printed in ${seconds} s\n${this.#output()}`);
      await this.#outputOrPause();
    }
  }

  /** Waits for the program to end by itself; kills it when that takes too long. */
  async ended(seconds = TIMEOUT_SECONDS): Promise<Ended> {
    if (this.#ended === undefined) throw new Error("the server is not running");
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.signal("SIGKILL");
    }, seconds * 1000);
    const ended = await this.#ended;
    clearTimeout(timer);
    this.#child = this.#ended = undefined;
    if (late) throw new Error(`the server did not end within ${seconds} s\n${this.#output()}`);
    return ended;
  }

  /** Sends a signal. Does nothing when the program has already ended. */
  signal(signal: Deno.Signal): void {
    if (this.#over) return;
    try {
      this.#child?.kill(signal);
    } catch (error) {
      // The runtime learns of the end before this process does.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** Asks the program to end (SIGTERM) and waits for that. */
  async stop(): Promise<Ended> {
    this.signal("SIGTERM");
    return await this.ended();
  }

  /** Ends the program at once (SIGKILL), as a crash would. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.ended();
  }

  async restart(): Promise<void> {
    const { code } = await this.stop();
    if (code !== 0) throw new Error(`the server ended with ${code}\n${this.#output()}`);
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child !== undefined) await this.kill();
    if (this.#ownsDirectory) await Deno.remove(this.directory, { recursive: true });
  }

  #configArgs(): string[] {
    return this.#options.config === undefined ? [] : ["--config", join(this.directory, "test.toml")];
  }

  #environment(): Record<string, string> {
    const env: Record<string, string> = {};
    for (const [name, value] of Object.entries(Deno.env.toObject())) {
      if (!name.startsWith("SERVICE_")) env[name] = value;
    }
    env["NO_COLOR"] = "1";
    const { heapMibMax } = this.#options;
    // The executables have no flags for it.
    if (heapMibMax !== undefined) env["DENO_V8_FLAGS"] = `--max-old-space-size=${heapMibMax}`;
    env["SERVICE_DATA_DIR"] = this.dataDir;
    if (this.#options.listen !== "none") {
      if (this.address.transport === "unix") env["SERVICE_SOCKET_PATH"] = this.address.path;
      else env["SERVICE_PORT"] = String(this.address.port);
    }
    return { ...env, ...storageVariables(this.dataDir, this.#options.env), ...this.#options.env };
  }

  async #collect(stream: ReadableStream<Uint8Array>, keep: (text: string) => void): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      keep(decoder.decode(chunk, { stream: true }));
      this.#onOutput();
    }
  }

  async #outputOrPause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onOutput = resolve;
    const timer = setTimeout(resolve, 100);
    await promise;
    clearTimeout(timer);
  }

  #output(): string {
    return `--- stdout\n${this.stdout}\n--- stderr\n${this.stderr}`;
  }
}
