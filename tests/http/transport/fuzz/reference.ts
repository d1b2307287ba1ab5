import { joinBytes } from "../../../support/bytes.ts";

/** A request as the parser of `node:http` understood it. Texts hold one character for each byte. */
export interface NodeRequest {
  /** The offset of its first byte in the bytes sent. */
  readonly start: number;
  readonly method: string;
  readonly target: string;
  /** Such as `1.1`. */
  readonly version: string;
  /** Names and values alternately, as sent. */
  readonly fields: readonly string[];
  readonly body: string;
  /** Like `fields`; undefined until the request is complete. */
  readonly trailers?: readonly string[];
  readonly complete: boolean;
}

export interface NodeVerdict {
  readonly requests: readonly NodeRequest[];
  /** The reason for which the parser gave up; null when it waits for more. */
  readonly error: string | null;
}

const MAJOR_VERSION_MIN = 20;

/** Returns true when a Node is installed whose parser can serve as the reference. */
export function nodeIsThere(): boolean {
  try {
    const { stdout } = new Deno.Command("node", { args: ["--version"] }).outputSync();
    return Number(/^v(\d+)\./.exec(new TextDecoder().decode(stdout))?.[1]) >= MAJOR_VERSION_MIN;
  } catch {
    return false;
  }
}

/** The parser inside `node:http`, in a process of its own. */
export class NodeParser implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncGenerator<string, void>;

  constructor() {
    this.#child = new Deno.Command("node", {
      args: ["--no-warnings", new URL("node_parser.mjs", import.meta.url).pathname],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#lines = linesOf(this.#child.stdout);
  }

  /** Parses each byte sequence with a fresh parser. Callers make one call at a time. */
  async parse(cases: readonly Uint8Array[]): Promise<NodeVerdict[]> {
    const sending = this.#writer.write(framed(cases));
    const verdicts: NodeVerdict[] = [];
    while (verdicts.length < cases.length) {
      const { done, value } = await this.#lines.next();
      if (done) throw new Error("the reference parser ended");
      verdicts.push(JSON.parse(value) as NodeVerdict);
    }
    await sending;
    return verdicts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close();
    await this.#lines.return();
    await this.#child.status;
  }
}

function framed(cases: readonly Uint8Array[]): Uint8Array {
  return joinBytes(cases.flatMap((bytes) => {
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, bytes.length);
    return [length, bytes];
  }));
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
