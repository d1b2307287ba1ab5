import assert from "node:assert/strict";
import { join } from "node:path";
import type { EventLine } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { seededRandom, testSeed } from "../../support/test_seed.ts";
import type { Step } from "./follower.ts";
import { FollowerProcess } from "./follower_process.ts";
import { Writers } from "./writers.ts";
import { type Write, writeA, writeB, writeC } from "./writes.ts";

const WRITERS = 8;
const IS_LONG = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1";
/** One of each kind at least. */
const KILLS = IS_LONG ? 50 : 3;
/** Every step takes much less time, even on a busy machine. */
const TIMEOUT_SECONDS = 40;

interface Edition {
  readonly name: "A" | "B" | "C";
  readonly every: string;
  readonly write: Write;
  readonly transports: readonly ("tcp" | "unix")[];
}

const both = ["tcp", "unix"] as const;
const editions: readonly Edition[] = [
  { name: "A", every: "*", write: writeA, transports: IS_LONG ? both : ["tcp"] },
  { name: "B", every: "all", write: writeB, transports: IS_LONG ? both : ["unix"] },
  { name: "C", every: "*", write: writeC, transports: IS_LONG ? both : ["tcp"] },
];

/** A query for a few of the events: those of one type by two of the writers. */
const SOME = ["0", "1"].map((value) => ({ types: ["Noted"], identifiers: [{ name: "writer", value }] }));

function isOfSome({ type, identifiers }: EventLine): boolean {
  return type === "Noted" && (identifiers["writer"] === "0" || identifiers["writer"] === "1");
}

/** The writers of a server, and two followers: one follows all events, one some of them. */
class Scene implements AsyncDisposable {
  readonly server: ServerProcess;
  readonly writers: Writers;
  /** Waits for longer than the test does, so that only a new event can wake it. */
  readonly ofAll: FollowerProcess;
  /** Waits so briefly that it often has no event and must continue from the head. */
  readonly ofSome: FollowerProcess;
  readonly #random: (below: number) => number;

  constructor(server: ServerProcess, { write, every }: Edition, random: (below: number) => number) {
    this.server = server;
    this.#random = random;
    const file = (name: string): string => join(server.directory, name);
    const { address } = server;
    this.ofAll = new FollowerProcess(address, file("all"), { query: every, waitSeconds: 60 });
    this.ofSome = new FollowerProcess(address, file("some"), { query: SOME, waitSeconds: 1 });
    for (const follower of this.followers) follower.start();
    this.writers = new Writers(server.client(), write, WRITERS);
  }

  get followers(): readonly FollowerProcess[] {
    return [this.ofAll, this.ofSome];
  }

  /** Runs until all writers and followers have made progress, and a little longer. */
  async run(round: number): Promise<void> {
    const { writers, followers, ofSome } = this;
    const written = writers.acknowledged.size;
    const before = followers.map((follower) => follower.look().length);
    writers.areNoting = round % 4 !== 3;
    await eventually(() => {
      assert.ok(writers.acknowledged.size > written + WRITERS, "the writers write");
      for (const [i, follower] of followers.entries()) {
        assert.ok(follower.look().length > before[i]!, `follower ${i} follows`);
      }
      if (!writers.areNoting) assertMovedByHead(ofSome.steps.slice(before[1]));
    }, TIMEOUT_SECONDS);
    // The pause is often 0, so that the next kill comes while followers still catch up.
    await pause(Math.max(0, this.#random(400) - 200));
  }

  async kill(round: number): Promise<void> {
    const { server, followers } = this;
    if (round % 3 === 0) {
      await server.kill();
      await pause(this.#random(100));
      await server.start();
    } else if (round % 3 === 1) {
      await server.restart();
    } else {
      await Promise.all(followers.map((follower) => follower.kill()));
      await pause(this.#random(500));
      for (const follower of followers) follower.start();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.writers, ...this.followers].map((part) => part[Symbol.asyncDispose]()));
  }
}

/** Asserts that the last two steps have no event. A page adds at most one such step, so the last page was empty. */
function assertMovedByHead(steps: readonly Step[]): void {
  const lastTwo = steps.slice(-2);
  assert.ok(lastTwo.length === 2 && lastTwo.every(({ event }) => event === undefined), "moved by the head");
}

/** Waits until a follower has these events, and asserts that it has no others and never saw another store. */
async function assertFollowed(
  follower: FollowerProcess,
  events: readonly EventLine[],
  storeId: string,
): Promise<void> {
  const last = events.at(-1)!.sequence;
  await eventually(() => {
    const position = follower.look().at(-1)?.position ?? 0;
    assert.ok(position >= last, `came to ${position} of ${last} by itself`);
  }, TIMEOUT_SECONDS);
  const found = follower.steps.flatMap(({ event }) => event ?? []);
  for (const [i, { sequence, payload }] of events.entries()) {
    assert.deepEqual([found[i]?.sequence, found[i]?.payload], [sequence, payload], `event ${i} of its file`);
  }
  assert.equal(found.length, events.length, "nothing else");
  for (const [i, { store, position, event = { sequence: position } }] of follower.steps.entries()) {
    assert.deepEqual([store, position], [storeId, event.sequence], `line ${i} of its file`);
    assert.ok(position > (follower.steps[i - 1]?.position ?? 0), `line ${i} of its file moves on`);
  }
}

async function follow(edition: Edition, listen: "tcp" | "unix", seed: number): Promise<number> {
  const env = { SERVICE_EDITION: edition.name };
  await using server = await startServer({ listen, listenOnly: true, env });
  const client = server.client();
  const { store } = await client.queryEvents(edition.every);
  await using scene = new Scene(server, edition, seededRandom(seed));
  for (let round = 0; round < KILLS; round++) {
    await scene.run(round);
    await scene.kill(round);
  }
  await scene.writers.stop();
  const events = await client.allEvents(edition.every);
  await assertFollowed(scene.ofAll, events, store!);
  await assertFollowed(scene.ofSome, events.filter(isOfSome), store!);
  const payloads = new Set(events.map(({ payload }) => payload));
  for (const payload of scene.writers.acknowledged) {
    assert.ok(payloads.has(payload), `acknowledged, but lost: ${payload}`);
  }
  return events.length;
}

for (const edition of editions) {
  for (const listen of edition.transports) {
    const what = `edition ${edition.name}, ${listen}: beside ${WRITERS} writers and ${KILLS} kills`;
    Deno.test(`${what}, followers see every event exactly once and in order`, async (test) => {
      const seed = testSeed();
      try {
        const events = await follow(edition, listen, seed);
        await test.step(`${events} events, seed ${seed}`, () => {});
      } catch (error) {
        throw new Error(`with seed ${seed}`, { cause: error });
      }
    });
  }
}
