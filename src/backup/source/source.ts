import type { BackupSettings } from "../../config/load.ts";
import { VERSION } from "../../config/version.ts";
import { readCertificates } from "../../files/certificates.ts";
import { fromRoot } from "../../files/paths.ts";
import { errorText, oneLine, parsed, startOf } from "./answer_text.ts";
import { type Answer, HttpClient } from "./http_client.ts";
import { type PagePart, pageParts } from "./page_parts.ts";
import type { SourceAddress, TimeLimits } from "./timed_conn.ts";

const TIME_LIMITS: TimeLimits = { connectSeconds: 10, stallSeconds: 60 };

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
  readonly pageLimit: number;
  /** The query for every event: `"*"` in editions A and C, `"all"` in B. */
  #every: "*" | "all" = "*";
  #hasSubjects = false;
  #givesRoots = false;

  constructor(settings: BackupSettings, stopped: AbortSignal) {
    const { source, sourceToken, pageLimit } = settings;
    this.name = source.transport === "unix" ? fromRoot(source.path) : source.url;
    this.pageLimit = pageLimit;
    this.#stopped = stopped;
    const { address, host, path } = addressOf(source);
    this.#client = new HttpClient(address, TIME_LIMITS, stopped);
    this.#path = path;
    this.#headers =
      `Host: ${host}\r\nUser-Agent: eventstore-backup/${VERSION}\r\nContent-Type: application/json\r\n` +
      (sourceToken === undefined ? "" : `Authorization: Bearer ${sourceToken}\r\n`);
  }

  /** True when the source encrypts the payloads of subjects, once it is identified. */
  get hasSubjects(): boolean {
    return this.#hasSubjects;
  }

  /**
   * Determines the store ID with a read of one event, whether payloads are encrypted, and how this edition spells the
   * query for every event. Call it before the first page.
   * @throws Error also when the token does not see every event as it is stored
   */
  async identify(): Promise<string> {
    try {
      const whoami = await this.#whoami();
      this.#hasSubjects = whoami.subjects !== undefined;
      this.#givesRoots = this.#hasSubjects && may(whoami, "read");
      assertSeesAll(whoami);
      if (this.#hasSubjects) assertMay(whoami, "copy", "to copy the events of a store with subjects");
      let answer = await this.#query(0, 1);
      if (answer.status === 400 && !this.#hasSubjects) {
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

  /**
   * Returns the root over the first events. It is undefined when the source gives none: it has no subjects, the token lacks
   * the right `read`, or the server has not hashed enough.
   */
  async root(storeId: string, head: number): Promise<string | undefined> {
    if (!this.#givesRoots) return undefined;
    try {
      const answer = await this.#request("GET", `/proof?head=${head}`, "");
      if (answer.status === 503) return void await startOf(answer);
      if (answer.status !== 200) throw new Error(`GET /proof: ${await errorText(answer)}`);
      const { storeId: found, root } = parsed(await startOf(answer));
      if (found !== storeId) throw new Error(`it was reset during the run: it holds store ${found} now`);
      if (typeof root !== "string") throw new Error("GET /proof: the answer has no root");
      return root;
    } catch (error) {
      throw this.#named(error as Error);
    }
  }

  /**
   * Call it before pages of a source without subjects are persisted. If they were read after the source got subjects,
   * their payloads are readable, and would stay so for ever.
   * @throws Error when the source has subjects now
   */
  async assertStillWithoutSubjects(): Promise<void> {
    if (this.#hasSubjects) return;
    const { subjects } = await this.#whoami().catch((error) => {
      throw this.#named(error as Error);
    });
    if (subjects === undefined) return;
    throw new Error(
      `the source ${this.name} got subjects during the run. Nothing of this page was kept; the next run copies ` +
        "events as they are stored",
    );
  }

  /**
   * Returns a list of subjects, in parts as they are received.
   * @param decode decodes a line, line feed included
   * @throws Error also when the token may not read it
   */
  async *subjects<Item>(
    path: "/subjects/keys" | "/subjects/forgotten",
    decode: (line: Uint8Array) => Item,
  ): AsyncGenerator<{ readonly storeId: string; readonly items: readonly Item[] }, void> {
    try {
      for await (const { storeId, lines } of pageParts(await this.#request("GET", path, ""), Infinity)) {
        yield { storeId, items: lines.map(decode) };
      }
    } catch (error) {
      throw this.#named(error as Error);
    }
  }

  /** @throws Error when the source has no keys, or the token may not read them */
  async assertGivesKeys(): Promise<void> {
    try {
      const whoami = await this.#whoami();
      if (whoami.subjects === undefined) throw new Error("it has no subjects, so there are no keys");
      assertMay(whoami, "keys", "to read the keys of subjects");
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

  /** An older server may have no `GET /whoami`, and then it has no subjects and knows no `within`. */
  async #whoami(): Promise<Whoami> {
    const answer = await this.#request("GET", "/whoami", "");
    if (answer.status !== 200 && answer.status !== 404) throw new Error(await errorText(answer));
    const whoami = parsed(await startOf(answer)) as Whoami;
    if (answer.status === 200 && !Array.isArray(whoami.may)) {
      throw new Error("its GET /whoami does not say what the token may do, so it is not an event store");
    }
    return whoami;
  }

  async #query(afterSequence: number, limit: number): Promise<Answer> {
    const range = { afterSequence, limit };
    if (this.#hasSubjects) return await this.#request("QUERY", "/events/stored", JSON.stringify(range));
    return await this.#request("QUERY", "/events", JSON.stringify({ query: this.#every, ...range }));
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

/** The fields of `GET /whoami` that a backup needs. */
interface Whoami {
  readonly name?: unknown;
  readonly may?: unknown;
  readonly within?: object;
  readonly subjects?: unknown;
}

/** @throws Error when the token does not see every event */
function assertSeesAll({ name, within }: Whoami): void {
  if (within === undefined) return;
  const part = Object.entries(within).map(([tag, value]) => `${tag}=${value}`).join(" and ");
  throw new Error(
    oneLine(`its token ${name} sees only events with ${part}, and a backup needs one that sees all`),
  );
}

function may({ may }: Whoami, right: string): boolean {
  return Array.isArray(may) && may.includes(right);
}

/** @throws Error when the token lacks a right */
function assertMay(whoami: Whoami, right: string, purpose: string): void {
  if (may(whoami, right)) return;
  throw new Error(oneLine(`its token ${whoami.name} lacks the right "${right}", which is needed ${purpose}`));
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
