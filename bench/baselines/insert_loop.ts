import { storePaths } from "../../src/store/sqlite/data_directory/database_file.ts";
import { openWriter, storeWrite, writeNow } from "../fill_store.ts";
import { measureLoop, type Round, type Timing } from "../measure.ts";
import type { SampleEvents } from "../sample_events.ts";
import { EVENTS_PER_WRITE, WRITES } from "../workloads/bulk.ts";

/**
 * Measures a program with the same store in its own process. It writes the events of the bulk workload in
 * transactions of 100. One thread prepares each for the index, inserts it and syncs.
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
