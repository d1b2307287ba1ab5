import assert from "node:assert/strict";
import type { Reply } from "../../support/connection.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { seededRandom, testSeed } from "../../support/test_seed.ts";
import { type ContractEdition, mustBe, Subject } from "../contract/edition.ts";

/** The identifiers that stand for a person. */
export const SUBJECT_NAMES = ["student", "customer"] as const;

/** Each payload that a subject may have contains this text, and no other text of a request does. */
export const SECRET = "secret-";

interface Event {
  readonly identifiers: Readonly<Record<string, string | readonly string[]>>;
  readonly sequence: number;
}

/** A server with subjects, and one without them that gets the same requests and never forgets. */
export class Twins {
  readonly edition: ContractEdition;
  readonly sealed: ServerProcess;
  readonly plain: ServerProcess;
  readonly below: (below: number) => number;
  /** The head when a subject was last forgotten, by name and value. */
  readonly #forgotten = new Map<string, number>();
  #secrets = 0;

  private constructor(edition: ContractEdition, sealed: ServerProcess, plain: ServerProcess) {
    this.edition = edition;
    this.sealed = sealed;
    this.plain = plain;
    this.below = seededRandom(testSeed());
  }

  static async with(edition: ContractEdition, run: (twins: Twins) => Promise<void>): Promise<void> {
    const env = { SERVICE_EDITION: edition.name };
    await using sealed = await startServer({ env: { ...env, SERVICE_SUBJECTS: SUBJECT_NAMES.join(",") } });
    await using plain = await startServer({ env });
    await run(new Twins(edition, sealed, plain));
  }

  get servers(): readonly ServerProcess[] {
    return [this.sealed, this.plain];
  }

  one<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  events(): Record<string, unknown>[] {
    return Array.from({ length: 1 + this.below(3) }, () => this.#event());
  }

  #event(): Record<string, unknown> {
    const identifiers: Record<string, unknown> = {};
    if (this.below(2) === 0) identifiers["course"] = this.one(["c1", "c2"]);
    if (this.below(3) > 0) identifiers["student"] = this.one(["s1", "s2", "s\u00e93", ["s1", "s2"]]);
    if (this.below(3) === 0) identifiers["customer"] = this.one(["k1", "s1"]);
    const secret = `${SECRET}${this.#secrets++} "\u00e9\ud83d\ude00\\`;
    // A page with several large ones is more than one chunk.
    const payload = secret + (this.below(8) === 0 ? "x".repeat(50_000) : "");
    return { type: this.one(["T1", "T2"]), identifiers, payload };
  }

  query(): unknown {
    const items = [
      { types: ["T1"] },
      { identifiers: [{ name: "student", value: "s1" }] },
      { identifiers: [{ name: "course", value: "c1" }] },
      { types: ["T2"], identifiers: [{ name: "customer", value: "s1" }] },
    ];
    return this.below(3) === 0 ? this.edition.every : [this.one(items), this.one(items)];
  }

  /** Sends the same request to both. @returns the replies, which are the same apart from times, IDs and what was forgotten */
  async same(
    method: string,
    target: string | readonly string[],
    json?: unknown,
    tickets?: readonly string[],
  ): Promise<
    readonly Reply[]
  > {
    const replies = await Promise.all(this.servers.map((server, i) => {
      const path = (typeof target === "string" ? target : target[i]!).replace("{tx}", tickets?.[i] ?? "");
      const headers: Record<string, string> = tickets === undefined
        ? {}
        : { "x-service-ticket": tickets[i]! };
      return server.client().request(method, path, json === undefined ? { headers } : { headers, json });
    }));
    const [sealed, plain] = replies as [Reply, Reply];
    assert.equal(sealed.status, plain.status, sealed.text.slice(0, 300));
    assert.equal(unlike(sealed.text), unlike(this.#expected(plain.text)), `${method} ${target}`);
    return replies;
  }

  /** Forgets a subject, half of the time with an event about it in the same turn. */
  async forget(): Promise<void> {
    const [name, value] = this.one([["student", "s1"], ["student", "s\u00e93"], ["customer", "s1"], [
      "student",
      "no",
    ]]);
    const identifier = { name: name!, value: value! };
    const events = this.below(2) === 0 ? [] : [{ ...this.#event(), identifiers: { [name!]: value } }];
    const [before] = await this.same("QUERY", "/events", { query: [{ identifiers: [identifier] }] });
    const isUnknown = eventsIn(before!.text).length === 0;
    const reply = await this.sealed.client().request("POST", "/forget", { json: { identifier, events } });
    const key = `${name} ${value}`;
    if (isUnknown) return void mustBe(404, reply);
    const { forgotten } = mustBe(200, reply).json<{ forgotten: string }>();
    const head = await this.head();
    const isNew = forgotten === "now";
    if (isNew) this.#forgotten.set(key, head - events.length);
    if (events.length > 0) await new Subject(this.edition, this.plain.client()).append(...events);
    else if (!isNew) assert.equal(forgotten, "before");
  }

  async head(): Promise<number> {
    const page = await this.sealed.client().request("QUERY", "/events", {
      json: { query: this.edition.every },
    });
    return Number(page.headers.get("x-service-head"));
  }

  /** The answer of a store in which the payloads of the forgotten were empty. */
  #expected(text: string): string {
    return text.split("\n").map((line) => {
      if (!line.startsWith('{"sequence":')) return line;
      const event = JSON.parse(line) as Event;
      const gone = subjectsOf(event).filter((key) => (this.#forgotten.get(key) ?? 0) >= event.sequence);
      if (gone.length === 0) return line;
      const names = [...new Set(gone.map((key) => key.split(" ")[0]))];
      return `${line.slice(0, line.indexOf(',"payload":'))},"payload":"","forgotten":${
        JSON.stringify(names)
      }}`;
    }).join("\n");
  }
}

function eventsIn(text: string): Event[] {
  return text.split("\n").filter((line) => line.startsWith('{"sequence":')).map((line) => JSON.parse(line));
}

function subjectsOf({ identifiers }: Event): string[] {
  // In the order of the line.
  return Object.entries(identifiers).filter(([name]) => (SUBJECT_NAMES as readonly string[]).includes(name))
    .flatMap(([name, values]) => [values].flat().map((value) => `${name} ${value}`));
}

/** A text without times and IDs, which differ. */
function unlike(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g, "T")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "ID");
}
