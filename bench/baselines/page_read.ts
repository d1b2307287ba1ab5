import { storePaths } from "../../src/store/sqlite/data_directory/database_file.ts";
import { Reader } from "../../src/store/sqlite/reading/reader.ts";
import { measureLoop, type Round, type Timing } from "../measure.ts";
import { EVENTS_PER_PAGE } from "../workloads/full_scan.ts";

/** The full scan without server and transport: the same pages, read and formatted in this process. */
export async function pageRead(dataDir: string, storeEvents: number, timing: Timing): Promise<Round> {
  const reader = Reader.open(storePaths(dataDir).database);
  try {
    let afterSequence = 0;
    return await measureLoop(() => {
      let events = 0;
      for (let hasEnded = false; !hasEnded;) {
        const limit = EVENTS_PER_PAGE - events;
        const chunk = reader.chunk({ query: "every", afterSequence, head: undefined, limit });
        events += chunk.events;
        afterSequence = chunk.last;
        hasEnded = chunk.end !== false;
      }
      if (afterSequence === storeEvents) afterSequence = 0;
      return events;
    }, timing);
  } finally {
    reader.close();
  }
}
