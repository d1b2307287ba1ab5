import { join } from "node:path";
import type { NewEvent } from "../../src/model/event.ts";
import type { Query } from "../../src/model/query.ts";
import type { Tag } from "../../src/model/tag.ts";
import { openForWriting } from "../../src/store/connection.ts";
import { createDatabase } from "../../src/store/create_database.ts";
import type { Database } from "../../src/store/database.ts";
import { appendEvents, type PreparedEvent } from "../../src/store/events.ts";
import type { StoreWrite } from "../../src/store/run_write.ts";
import { eventTerms } from "../../src/store/tag_index.ts";
import { eventBody } from "../../src/wire/event.ts";

/** A directory of its own, removed at the end. */
export class TestDirectory implements Disposable {
  readonly path: string = Deno.makeTempDirSync({ prefix: "eventstore_test_" });

  file(name: string): string {
    return join(this.path, name);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

/** A fresh database with the writer's connection, in this thread. */
export class TestStore implements Disposable {
  readonly #directory = new TestDirectory();
  readonly path: string = this.#directory.file("events.db");
  readonly storeId: string = createDatabase(this.path);
  readonly db: Database = openForWriting(this.path);
  #head = 0;

  get head(): number {
    return this.#head;
  }

  /** @param timesMicros when each event was written; all at one moment when not given */
  append(events: readonly NewEvent[], timesMicros?: readonly number[]): void {
    this.db.run("BEGIN");
    appendEvents(this.db, this.#head, events.map((event, i) => prepared(event, timesMicros?.[i])));
    this.db.run("COMMIT");
    this.#head += events.length;
  }

  [Symbol.dispose](): void {
    this.db.close();
    this.#directory[Symbol.dispose]();
  }
}

export function prepared(event: NewEvent, timeMicros = 1_700_000_000_000_000): PreparedEvent {
  return { timeMicros, body: eventBody(event), terms: eventTerms(event) };
}

/** A write without conditions and projections, unless they are given. */
export function storeWrite(
  events: readonly NewEvent[],
  rest: Partial<Omit<StoreWrite, "events">> = {},
): StoreWrite {
  return {
    conditions: [],
    projections: { create: [], replace: [], delete: [] },
    ...rest,
    events: events.map((event) => prepared(event)),
  };
}

export function newEvent(type: string, identifiers: readonly Tag[] = [], payload = ""): NewEvent {
  return { type, identifiers, metadata: [], payload };
}

export function tag(name: string, value: string): Tag {
  return { name, value };
}

/** The query of one item. */
export function queryOf(
  types: readonly string[],
  identifiers: readonly Tag[] = [],
  metadata: readonly Tag[] = [],
): Exclude<Query, string> {
  return [{ types, identifiers, metadata }];
}

/** Random whole numbers from 0 to below `below`, the same ones for the same seed. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
