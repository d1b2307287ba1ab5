import { openForReading } from "../../src/store/connection.ts";
import { storePaths } from "../../src/store/database_file.ts";
import { readChunk } from "../../src/store/read_chunk.ts";
import { measureLoop, type Round, type Timing } from "../measure.ts";
import { EVENTS_PER_PAGE } from "../workloads/full_scan.ts";

/** The full scan without server and transport: the same pages, read and formatted in this process. */
export async function pageRead(dataDir: string, storeEvents: number, timing: Timing): Promise<Round> {
  const db = openForReading(storePaths(dataDir).database);
  try {
    let after = 0;
    return await measureLoop(() => {
      let events = 0;
      for (let hasEnded = false; !hasEnded;) {
        const eventsMax = EVENTS_PER_PAGE - events;
        const chunk = readChunk(db, { query: "every", after, head: undefined, eventsMax });
        events += chunk.events;
        after = chunk.last;
        hasEnded = chunk.end !== false;
      }
      if (after === storeEvents) after = 0;
      return events;
    }, timing);
  } finally {
    db.close();
  }
}
