import { UsageError } from "../../config/config_error.ts";
import type { PostgresSettings } from "../../config/load.ts";
import { locationText } from "../../store/postgres/connection/address.ts";
import { readStoppedStore, type StoppedStore } from "../../store/postgres/connection/stopped_store.ts";
import { type StoreContent, writeContent } from "../history/export_content.ts";
import { naming, newExportFile } from "../history/export_file.ts";
import { SignalGate } from "../history/signal_gate.ts";
import { checkedEvents, Damage } from "../history/walk_history.ts";
import { countEvents } from "../reports/count_events.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

interface ExportOptions {
  readonly output: string | undefined;
  readonly move: boolean;
}

/** Writes the events of a store in PostgreSQL whose servers are stopped, as JSON lines. */
export async function exportPostgres(
  { stopped, print }: VerbContext,
  location: PostgresSettings,
  { output, move }: ExportOptions,
): VerbEnd {
  if (output === undefined) {
    throw new UsageError(["a store in PostgreSQL is exported to a file: give --output"]);
  }
  const name = locationText(location);
  const gate = new SignalGate(stopped);
  using file = newExportFile(output);
  let head = 0;
  try {
    await readStoppedStore(location, async (store) => {
      head = store.head;
      await writeContent(contentOf(store, gate), (text) => naming(output, () => file.write(text)), {
        gate,
        move,
      });
    }, move);
  } catch (error) {
    throw error instanceof Damage ? new Error(`${name} is damaged: ${error.message}`) : error;
  }
  naming(output, () => file.keep());
  print(`${output}: ${countEvents(head)} of ${name}\n`);
  return true;
}

function contentOf({ storeId, head, events, projections }: StoppedStore, gate: SignalGate): StoreContent {
  return {
    storeId,
    head,
    events: checkedEvents(events(), { after: 0, upTo: head }, gate),
    projections: projections(),
  };
}
