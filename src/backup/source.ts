import type { BackupSettings } from "../config/load.ts";
import { VERSION } from "../config/version.ts";
import { type Answer, HttpClient } from "./http_client.ts";
import { splitLines } from "./split_lines.ts";
import { isStoreId } from "./targets.ts";
import type { SourceAddress, TimeLimits } from "./timed_conn.ts";

/** A source that did not answer as an event store does. `message` is one line that names it. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** Complete lines of a page, as they come. */
export interface PagePart {
  readonly storeId: string;
  /** Event lines with their line feeds. They stay as they are until the next part is asked for. */
  readonly lines: readonly Uint8Array[];
  /** Set on the last part only, when the trailer has come and the answer is complete. */
  readonly hasMore?: boolean;
}

const TIME_LIMITS: TimeLimits = { connectSeconds: 10, stallSeconds: 60 };

/** Longest text of an error answer that is looked at. */
const ERROR_BYTES_MAX = 64 * 1024;

/** Longest text of a source that goes into a message. */
const QUOTE_LENGTH_MAX = 200;

const encoder = new TextEncoder();

/** The server that events are read from. */
export class Source implements Disposable {
  /** The URL or the path of the socket, for messages and for the backup's origin. */
  readonly name: string;
  readonly #client: HttpClient;
  readonly #stopped: AbortSignal;
  readonly #requestHead: string;
  readonly #pageLimit: number;
  /** The query for every event: edition A says "*", the others say "all". */
  #every: "*" | "all" = "*";

  constructor(settings: BackupSettings, stopped: AbortSignal, limits: TimeLimits = TIME_LIMITS) {
    const { source, sourceToken, pageLimit } = settings;
    this.name = source.transport === "unix" ? source.path : source.url;
    this.#pageLimit = pageLimit;
    this.#stopped = stopped;
    const { address, host, path } = placeOf(source);
    this.#client = new HttpClient(address, limits, stopped);
    this.#requestHead = `QUERY ${path}/events HTTP/1.1\r\nHost: ${host}\r\n` +
      `User-Agent: eventstore-backup/${VERSION}\r\nContent-Type: application/json\r\n` +
      (sourceToken === undefined ? "" : `Authorization: Bearer ${sourceToken}\r\n`);
  }

  /**
   * Finds out the store ID, by a read of one event, and how this edition asks for every event.
   * Must come before the first page.
   */
  async identify(): Promise<string> {
    return await this.#named(async () => {
      let answer = await this.#query(0, 1);
      if (answer.status === 400) {
        const refusal = await refusalText(answer);
        this.#every = "all";
        answer = await this.#query(0, 1);
        if (answer.status === 400) throw new Error(refusal);
      }
      let storeId: string | undefined;
      for await (const part of pageParts(answer, 1)) storeId = part.storeId;
      return storeId!;
    });
  }

  /** Whether there are events after a sequence. */
  async hasEventsAfter(sequence: number): Promise<boolean> {
    let count = 0;
    for await (const { lines } of this.page(sequence, 1)) count += lines.length;
    return count > 0;
  }

  /** The events after a sequence, at most `limit`, and the parts of the page as they come. */
  async *page(afterSequence: number, limit: number = this.#pageLimit): AsyncGenerator<PagePart, void> {
    const parts = await this.#named(async () => {
      const answer = await this.#query(afterSequence, limit);
      if (answer.status !== 400) return pageParts(answer, limit);
      throw new Error(`it refuses a page of ${limit} events (pageLimit): ${await refusalText(answer)}`);
    });
    try {
      for (;;) {
        const next = await this.#named(() => parts.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await parts.return().catch(() => {});
    }
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  async #query(afterSequence: number, limit: number): Promise<Answer> {
    const body = encoder.encode(JSON.stringify({ query: this.#every, afterSequence, limit }));
    const head = encoder.encode(`${this.#requestHead}Content-Length: ${body.length}\r\n\r\n`);
    const bytes = new Uint8Array(head.length + body.length);
    bytes.set(head);
    bytes.set(body, head.length);
    return await this.#client.request(bytes);
  }

  /** Puts the name of the source before whatever goes wrong there. */
  async #named<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#stopped.throwIfAborted();
      throw new SourceError(`the source ${this.name}: ${(error as Error).message}`, { cause: error });
    }
  }
}

function placeOf(source: BackupSettings["source"]): { address: SourceAddress; host: string; path: string } {
  if (source.transport === "unix") return { address: source, host: "localhost", path: "" };
  const url = new URL(source.url);
  const tls = url.protocol === "https:";
  const address = {
    transport: "tcp",
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port || (tls ? 443 : 80)),
    tls,
  } as const;
  return { address, host: url.host, path: url.pathname.replace(/\/+$/, "") };
}

async function* pageParts(answer: Answer, limit: number): AsyncGenerator<PagePart, void> {
  if (answer.status !== 200) throw new Error(await refusalText(answer));
  const storeId = answer.headers.get("x-service-store");
  if (storeId === undefined) throw new Error("it answers without X-Service-Store, so it is no event store");
  if (!isStoreId(storeId)) {
    throw new Error(`it says that its store ID is ${JSON.stringify(oneLine(storeId))}`);
  }
  let hasMore: boolean | undefined;
  let count = 0;
  for await (const lines of splitLines(answer.body)) {
    if (hasMore !== undefined) throw new Error("its page goes on after the trailer");
    hasMore = trailerOf(lines.at(-1)!);
    const events = hasMore === undefined ? lines : lines.slice(0, -1);
    count += events.length;
    if (count > limit) throw new Error(`its page holds more than the ${limit} events that were asked for`);
    if (events.length > 0) yield { storeId, lines: events };
  }
  if (hasMore === undefined) throw new Error("its page has no trailer, so it was cut short");
  if (hasMore && count === 0) throw new Error("its page holds no event, but says that there are more");
  yield { storeId, lines: [], hasMore };
}

const TRAILER_BYTES_MAX = 64;

/** What the trailer says, or undefined for any other line. */
function trailerOf(line: Uint8Array): boolean | undefined {
  if (line.length > TRAILER_BYTES_MAX) return undefined;
  const text = new TextDecoder().decode(line);
  const hasMore = /^\s*\{\s*"hasMore"\s*:\s*(true|false)\s*\}\s*$/.exec(text)?.[1];
  return hasMore === undefined ? undefined : hasMore === "true";
}

/** What an answer other than a page says: its status, and the error that it carries. */
async function refusalText(answer: Answer): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of answer.body) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > ERROR_BYTES_MAX) break;
  }
  const remedy = answer.status === 401 ? ", check sourceToken" : "";
  return `it answers ${answer.status}${detailOf(text)}${remedy}`;
}

/** The envelope of an error, as text; nothing for anything else. */
function detailOf(text: string): string {
  try {
    const { error, message } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof error !== "string") return "";
    return ` ${oneLine(error)}${typeof message === "string" ? ` (${oneLine(message)})` : ""}`;
  } catch {
    return "";
  }
}

/** What a source says, fit to stand in a line of ours. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[^\x20-\x7e]+/g, " ");
  return line.length > QUOTE_LENGTH_MAX ? `${line.slice(0, QUOTE_LENGTH_MAX)}...` : line;
}
