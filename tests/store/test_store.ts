import { join } from "node:path";
import type { NewEvent } from "../../src/model/event.ts";
import { openForWriting } from "../../src/store/sqlite/connection/connection.ts";
import { createDatabase } from "../../src/store/sqlite/data_directory/create_database.ts";
import type { Database } from "../../src/store/sqlite/connection/database.ts";
import { appendEvents } from "../../src/store/sqlite/tables/events.ts";
import type { StoreState } from "../../src/store/api/state.ts";
import { Writer, type WriterEvent } from "../../src/store/sqlite/writing/writer.ts";
import { prepared, storeWrite } from "./made_writes.ts";
import { written } from "./outcomes.ts";

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
  /** The events that writers have reported. */
  readonly reported: WriterEvent[] = [];
  #head = 0;
  #writer: Writer | undefined;

  get head(): number {
    return this.#head;
  }

  /** @param timesMicros when each event was written; the default is one moment for all */
  append(events: readonly NewEvent[], timesMicros?: readonly number[]): void {
    this.db.run("BEGIN");
    appendEvents(this.db, this.#head, events.map((event, i) => prepared(event, timesMicros?.[i])));
    this.db.run("COMMIT");
    this.#head += events.length;
  }

  /** A writer as it is after a start. */
  openWriter(): Writer {
    return this.#writer = new Writer(this.db, false, (event) => this.reported.push(event));
  }

  [Symbol.dispose](): void {
    (this.#writer ?? this.db).close();
    this.#directory[Symbol.dispose]();
  }
}

/** The store as a writer without an open transaction sees it. */
export function writerState(writer: Writer): StoreState {
  const { storeId, firstSequence } = written(writer.group([storeWrite([])])[0]);
  return { storeId, head: firstSequence - 1 };
}
