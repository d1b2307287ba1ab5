import type { BackupSettings } from "../../config/load.ts";
import { VERSION } from "../../config/version.ts";
import { readCertificates } from "../../files/certificates.ts";
import { fromRoot } from "../../files/paths.ts";
import { splitLines } from "../history/lines.ts";
import { isStoreId } from "../directory/backup_files.ts";
import { type Answer, HttpClient } from "./http_client.ts";
import type { SourceAddress, TimeLimits } from "./timed_conn.ts";

/** Complete lines of a page, as they are received. */
interface PagePart {
  readonly storeId: string;
  /** Event lines with their line feeds. They stay unchanged until the next part is requested. */
  readonly lines: readonly Uint8Array[];
  /** Set on the last part only, when the trailer has been received and the response is complete. */
  readonly hasMore?: boolean;
}

const TIME_LIMITS: TimeLimits = { connectSeconds: 10, stallSeconds: 60 };

/** The longest text of a response without events that is read. */
const TEXT_BYTES_MAX = 64 * 1024;

/** The longest text of a source that a message quotes. */
const QUOTE_LENGTH_MAX = 200;

const encoder = new TextEncoder();

/** The server from which events are read. Every failure there is an error of one line that names it. */
export class Source implements Disposable {
  /** The URL or the path of the socket, for messages and for the backup's origin. */
  readonly name: string;
  readonly #client: HttpClient;
  readonly #stopped: AbortSignal;
  /** The path of the server, and the head of each request after its first line. */
  readonly #path: string;
  readonly #headers: string;
  readonly #hasToken: boolean;
  readonly pageLimit: number;
  /** The query for every event: `"*"` in editions A and C, `"all"` in B. */
  #every: "*" | "all" = "*";

  constructor(settings: BackupSettings, stopped: AbortSignal) {
    const { source, sourceToken, pageLimit } = settings;
    this.name = source.transport === "unix" ? fromRoot(source.path) : source.url;
    this.pageLimit = pageLimit;
    this.#stopped = stopped;
    const { address, host, path } = addressOf(source);
    this.#client = new HttpClient(address, TIME_LIMITS, stopped);
    this.#path = path;
    this.#hasToken = sourceToken !== undefined;
    this.#headers =
      `Host: ${host}\r\nUser-Agent: eventstore-backup/${VERSION}\r\nContent-Type: application/json\r\n` +
      (sourceToken === undefined ? "" : `Authorization: Bearer ${sourceToken}\r\n`);
  }

  /**
   * Determines the store ID with a read of one event, and how this edition spells the query for every event. Call it
   * before the first page.
   * @throws Error also when the token does not see every event
   */
  async identify(): Promise<string> {
    try {
      if (this.#hasToken) await this.#assertSeesAll();
      let answer = await this.#query(0, 1);
      if (answer.status === 400) {
        const rejection = await errorText(answer);
        this.#every = "all";
        answer = await this.#query(0, 1);
        if (answer.status === 400) throw new Error(rejection);
      }
      let storeId: string | undefined;
      for await (const part of pageParts(answer, 1)) storeId = part.storeId;
      return storeId!;
    } catch (error) {
      throw this.#named(error as Error);
    }
  }

  /** True when there are events after a sequence. */
  async hasEventsAfter(sequence: number): Promise<boolean> {
    let count = 0;
    for await (const { lines } of this.page(sequence, 1)) count += lines.length;
    return count > 0;
  }

  /** Returns the events after a sequence, at most `limit`, in parts as they are received. */
  async *page(afterSequence: number, limit: number = this.pageLimit): AsyncGenerator<PagePart, void> {
    try {
      const answer = await this.#query(afterSequence, limit);
      if (answer.status === 400) {
        throw new Error(`it rejects a page of ${limit} events (pageLimit): ${await errorText(answer)}`);
      }
      yield* pageParts(answer, limit);
    } catch (error) {
      throw this.#named(error as Error);
    }
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  /** Servers that do not know `within` have no `GET /whoami` either. */
  async #assertSeesAll(): Promise<void> {
    const answer = await this.#request("GET", "/whoami", "");
    if (answer.status !== 200 && answer.status !== 404) throw new Error(await errorText(answer));
    const { name, within } = parsed(await startOf(answer));
    if (within === undefined) return;
    const part = Object.entries(within as object).map(([tag, value]) => `${tag}=${value}`).join(" and ");
    throw new Error(
      oneLine(`its token ${name} sees only events with ${part}, and a backup needs one that sees all`),
    );
  }

  async #query(afterSequence: number, limit: number): Promise<Answer> {
    return await this.#request(
      "QUERY",
      "/events",
      JSON.stringify({ query: this.#every, afterSequence, limit }),
    );
  }

  /** @param body ASCII, so that its length equals its number of bytes */
  async #request(method: string, path: string, body: string): Promise<Answer> {
    const head = `${method} ${this.#path}${path} HTTP/1.1\r\n${this.#headers}Content-Length: ${body.length}`;
    return await this.#client.request(encoder.encode(`${head}\r\n\r\n${body}`));
  }

  /** Returns the error prefixed with the name of the source, or the reason for stopping. */
  #named(error: Error): Error {
    if (this.#stopped.aborted) return this.#stopped.reason as Error;
    return new Error(`the source ${this.name}: ${error.message}`, { cause: error });
  }
}

function addressOf(source: BackupSettings["source"]): { address: SourceAddress; host: string; path: string } {
  if (source.transport === "unix") return { address: source, host: "localhost", path: "" };
  const url = new URL(source.url);
  const tls = url.protocol === "https:";
  const address = {
    transport: "tcp",
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port || (tls ? 443 : 80)),
    tls,
    caCerts: source.caFile === undefined ? [] : [readCertificates(source.caFile)],
  } as const;
  return { address, host: url.host, path: url.pathname.replace(/\/+$/, "") };
}

async function* pageParts(answer: Answer, limit: number): AsyncGenerator<PagePart, void> {
  if (answer.status !== 200) throw new Error(await errorText(answer));
  const storeId = answer.headers.get("x-service-store");
  if (storeId === undefined) {
    throw new Error("its response has no X-Service-Store, so it is not an event store");
  }
  if (!isStoreId(storeId)) {
    throw new Error(`it reports the store ID ${JSON.stringify(oneLine(storeId))}`);
  }
  let hasMore: boolean | undefined;
  let count = 0;
  for await (const lines of splitLines(answer.body)) {
    if (hasMore !== undefined) throw new Error("its page continues after the trailer");
    hasMore = trailerOf(lines.at(-1)!);
    const events = hasMore === undefined ? lines : lines.slice(0, -1);
    count += events.length;
    if (count > limit) throw new Error(`its page has more than the ${limit} events that were asked for`);
    if (events.length > 0) yield { storeId, lines: events };
  }
  if (hasMore === undefined) throw new Error("its page has no trailer, so it was cut short");
  if (hasMore && count === 0) throw new Error("its page has no events, but says that there are more");
  yield { storeId, lines: [], hasMore };
}

const TRAILER_BYTES_MAX = 64;

/** Returns `hasMore` of the trailer, or undefined for any other line. */
function trailerOf(line: Uint8Array): boolean | undefined {
  if (line.length > TRAILER_BYTES_MAX) return undefined;
  const text = new TextDecoder().decode(line);
  const hasMore = /^\s*\{\s*"hasMore"\s*:\s*(true|false)\s*\}\s*$/.exec(text)?.[1];
  return hasMore === undefined ? undefined : hasMore === "true";
}

/** Returns the text of a response that is not a page, up to a limit. */
async function startOf({ body }: Answer): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > TEXT_BYTES_MAX) break;
  }
  return text;
}

/** Returns status and error of a response that is not a page. */
async function errorText(answer: Answer): Promise<string> {
  const text = await startOf(answer);
  const remedy = answer.status === 401 ? ", check sourceToken" : "";
  return `it returned ${answer.status}${detailOf(text)}${remedy}`;
}

/** Returns the envelope of an error as text; an empty text for anything else. */
function detailOf(text: string): string {
  const { error, message } = parsed(text);
  if (typeof error !== "string") return "";
  return ` ${oneLine(error)}${typeof message === "string" ? ` (${oneLine(message)})` : ""}`;
}

/** Returns the JSON object of a text; an empty object for anything else. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Makes a text of the source safe for one line of output. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[^\x20-\x7e]+/g, " ");
  return line.length > QUOTE_LENGTH_MAX ? `${line.slice(0, QUOTE_LENGTH_MAX)}...` : line;
}
