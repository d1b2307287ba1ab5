import assert from "node:assert/strict";
import { RIGHTS } from "../../../src/model/access.ts";
import { projectionPath } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import { bearer, startWithTokens, tokenToml } from "../../support/tokens.ts";
import { seededRandom, testSeed } from "../../support/test_seed.ts";
import { type ContractEdition, mustBe, Subject } from "../contract/edition.ts";
import { RandomValues } from "./random_values.ts";
import { Side, TENANT } from "./side.ts";

/** The replies of both servers to one request. */
export interface Replies {
  readonly shared: Reply;
  readonly alone: Reply;
}

const ENV = { SERVICE_DEV_MODE: "true" };

/** A server with the events of several tenants, and one that only ever had those of one. */
export class Pair {
  readonly edition: ContractEdition;
  readonly random: RandomValues;
  readonly shared: Side;
  readonly alone: Side;
  /** Clients of another tenant, and of a token that sees everything. */
  readonly #others: readonly Subject[];
  readonly #log: string[] = [];

  private constructor(edition: ContractEdition, shared: Side, alone: Side, others: readonly Subject[]) {
    this.edition = edition;
    this.random = new RandomValues(seededRandom(testSeed()), edition.every, edition.none);
    this.shared = shared;
    this.alone = alone;
    this.#others = others;
  }

  static async with(edition: ContractEdition, run: (pair: Pair) => Promise<void>): Promise<void> {
    const rights = ["read", "write"] as const;
    const all = tokenToml("all", "all", RIGHTS);
    const others = tokenToml("other", "other", rights, 'within = { tenant = "t2" }\n');
    const within = `within = { ${TENANT.name} = "${TENANT.value}" }\n`;
    const sharedTokens = tokenToml("own", "own", rights, within) + others + all;
    await using sharedServer = await startWithTokens(edition.name, sharedTokens, ENV);
    await using aloneServer = await startWithTokens(edition.name, tokenToml("own", "own", rights) + all, ENV);
    const subjects = ["other", "all"].map((token) =>
      new Subject(edition, sharedServer.client(bearer(token)))
    );
    const sides = [sharedServer, aloneServer].map((server) => new Side(server, edition.every));
    const pair = new Pair(edition, sides[0]!, sides[1]!, subjects);
    try {
      await run(pair);
    } catch (error) {
      throw new Error(`after ${pair.#log.slice(-5).join("\n")}`, { cause: error });
    }
  }

  /** Sends a request with the token `own` to both servers. Their replies must not differ. */
  async same(
    method: string,
    target: string | ((side: Side) => string),
    body?: (side: Side) => unknown,
    ticket?: Tickets,
  ): Promise<Replies> {
    const targetOf = typeof target === "string" ? () => target : target;
    const replies = await this.#both((side) => this.#send(side, method, targetOf(side), body, ticket));
    await this.#compare(`${method} ${targetOf(this.alone)}`, replies);
    return replies;
  }

  /** The same for a read that waits until it is notified. */
  async sameAfterWaiting(
    body: (side: Side) => unknown,
    meanwhile: () => Promise<void>,
  ): Promise<void> {
    const waiting = this.#both((side) => this.#send(side, "QUERY", "/events", body));
    await meanwhile();
    await this.#compare("QUERY /events with waitSeconds", await waiting);
  }

  async #compare(what: string, { shared, alone }: Replies): Promise<void> {
    this.#log.push(`${what}: ${alone.status} ${alone.text.slice(0, 200)}`);
    // The sequences in this document are those of its examples.
    const isDocument = what === "GET /openapi.json";
    const [texts, expected] = isDocument
      ? [shared.text, alone.text]
      : [await this.shared.textOf(shared), await this.alone.textOf(alone)];
    if (texts !== expected) assert.equal(texts, expected, what);
    this.#learnVersions(what, { shared, alone });
  }

  #learnVersions(what: string, { shared, alone }: Replies): void {
    const path = /^GET (\/projections\/.+)$/.exec(what)?.[1];
    if (path === undefined) return;
    for (const [side, reply] of [[this.shared, shared], [this.alone, alone]] as const) {
      side.versions.set(path, reply.headers.get("x-service-version") ?? "none");
    }
  }

  async #both(send: (side: Side) => Promise<Reply>): Promise<Replies> {
    const [shared, alone] = await Promise.all([send(this.shared), send(this.alone)]);
    return { shared: shared!, alone: alone! };
  }

  #send(
    side: Side,
    method: string,
    target: string,
    body: ((side: Side) => unknown) | undefined,
    ticket?: Tickets,
  ): Promise<Reply> {
    const json = body?.(side);
    const id = ticket?.get(side) ?? "";
    const headers: Record<string, string> = ticket === undefined ? {} : { "x-service-ticket": id };
    return side.own.request(
      method,
      target.replace("{tx}", id),
      json === undefined ? { headers } : { headers, json },
    );
  }

  /** Does what the token `own` may not do. */
  async onBoth(send: (side: Side) => Promise<Reply>): Promise<void> {
    for (const { status, text } of Object.values(await this.#both(send))) assert.ok(status < 300, text);
  }

  /** Writes what `own` must not see. */
  async others(): Promise<void> {
    const { random } = this;
    const isOther = random.isLucky(2);
    const subject = this.#others[isOther ? 0 : 1]!;
    const tenant = isOther ? "t2" : random.one([undefined, "t2", ["t2", "t3"]]);
    await subject.append(...random.events(tenant));
    if (random.isLucky(3)) await subject.change({ create: [{ ...random.key(), payload: "of others" }] });
  }

  /** Writes an event of several tenants, which `own` sees. */
  async sharedEvent(): Promise<void> {
    const event = this.random.event(["t2", TENANT.value]);
    for (const { all } of [this.shared, this.alone]) await new Subject(this.edition, all).append(event);
  }

  /** A position that means the same on both sides. */
  position(): (side: Side) => number {
    const [rank, skipped] = [this.random.below(this.alone.count + 1), this.random.below(4)];
    return (side) => side.after(rank, skipped);
  }

  /** Changes of projections that `own` sees, some of which are wrong. @param versioned false where the changes name no version */
  changes(versioned: boolean): (side: Side) => Record<string, unknown> {
    const { random } = this;
    const { type, id } = random.key();
    const list = random.one(["create", "replace", "delete"]);
    const payload = list === "delete" ? {} : { payload: `by ${random.below(1000)}` };
    return (side) => {
      const version = versioned && list !== "create"
        ? { version: side.versions.get(projectionPath(type, id)) ?? "none" }
        : {};
      return { [list]: [{ type, id, ...version, ...payload }] };
    };
  }

  /** Sends events of others with the token `own`, which must not be written. */
  async rejectsForeign(send: (events: readonly unknown[]) => Promise<Reply>): Promise<void> {
    const { random } = this;
    const foreign = random.event(random.one([undefined, "t2", ["t1", "t2"]]));
    const reply = mustBe(403, await send([random.event("t1"), foreign]));
    assert.match(
      reply.text,
      /"events\[1\]: the token own writes only events with tenant=t1 and no other tenant"/,
    );
  }
}

/** The ticket or the transaction that each side has. */
export type Tickets = ReadonlyMap<Side, string>;

/** Returns the IDs in two replies, under a name. */
export function ticketsOf(pair: Pair, { shared, alone }: Replies, name: string): Tickets {
  return new Map([
    [pair.shared, shared.json<Record<string, string>>()[name]!],
    [pair.alone, alone.json<Record<string, string>>()[name]!],
  ]);
}
