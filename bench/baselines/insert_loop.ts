import { storePaths } from "../../src/store/sqlite/data_directory/database_file.ts";
import { openWriter, storeWrite, writeNow } from "../fill_store.ts";
import { measureLoop, type Round, type Timing } from "../measure.ts";
import type { SampleEvents } from "../sample_events.ts";
import { EVENTS_PER_WRITE, WRITES } from "../workloads/bulk.ts";

/**
 * What a program writes that has the same store in its own process: the events of the bulk workload in
 * transactions of 100, each prepared for the index, inserted and synced by one thread.
 */
export async function insertLoop(dataDir: string, sample: SampleEvents, timing: Timing): Promise<Round> {
  const writer = openWriter(storePaths(dataDir).database);
  try {
    const writes = Array.from({ length: WRITES }, () => sample.events(EVENTS_PER_WRITE));
    let next = 0;
    return await measureLoop(() => {
      writeNow(writer, storeWrite(writes[next++ % WRITES]!, Date.now() * 1000));
      return EVENTS_PER_WRITE;
    }, timing);
  } finally {
    writer.close();
  }
}
