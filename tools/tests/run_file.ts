import { type Outcome, outcomeOf } from "./outcome.ts";

/** Far more than any file takes, even on a busy machine. */
const TIMEOUT_SECONDS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 3600 : 600;

/** `--unstable-no-legacy-abort`: the signal of a request of `Deno.serve` fires when its client disconnects, not at its end. */
const ARGS = ["test", "--quiet", "--no-check", "--no-prompt", "--allow-all", "--unstable-no-legacy-abort"];

export interface RunOfFile extends Outcome {
  readonly file: string;
  readonly seconds: number;
  /** Everything that it printed. */
  readonly output: string;
}

/**
 * Runs the tests of one file in a process of their own.
 * @param ports the ports that its servers may listen on, "first-last"
 */
export async function runFile(file: string, ports: string): Promise<RunOfFile> {
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: [...ARGS, file],
    env: { NO_COLOR: "1", EVENTSTORE_TEST_PORTS: ports },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) output += text;
  };
  const timer = setTimeout(() => {
    output += `\n${file} was still running after ${TIMEOUT_SECONDS} s\n`;
    child.kill("SIGKILL");
  }, TIMEOUT_SECONDS * 1000);
  const [{ success }] = await Promise.all([child.status, collect(child.stdout), collect(child.stderr)]);
  clearTimeout(timer);
  const seconds = (performance.now() - started) / 1000;
  return { file, seconds, output, ...outcomeOf(output, success) };
}
