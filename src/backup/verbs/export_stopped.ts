import { UsageError } from "../../config/config_error.ts";
import type { StoppedStore } from "../../store/api/stopped_store.ts";
import { type StoreContent, writeContent } from "../history/export_content.ts";
import { naming } from "../../files/naming.ts";
import { newExportFile } from "../history/export_file.ts";
import { SignalGate } from "../history/signal_gate.ts";
import { checkedEvents, Damage } from "../history/walk_history.ts";
import { countEvents } from "../reports/count_events.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

interface ExportOptions {
  readonly output: string | undefined;
  readonly move: boolean;
}

/** A store that is not a file, and whose servers are stopped. */
export interface StoppedSource {
  /** For messages. */
  readonly name: string;
  /** Locks the store while it is read. @param marksMoved true to mark it as moved afterwards */
  read(read: (store: StoppedStore) => Promise<void>, marksMoved: boolean): Promise<void>;
}

/** Writes the events of a store whose servers are stopped, as JSON lines. */
export async function exportStopped(
  { stopped, print }: VerbContext,
  source: StoppedSource,
  { output, move }: ExportOptions,
): VerbEnd {
  if (output === undefined) {
    throw new UsageError(["a store in PostgreSQL is exported to a file: give --output"]);
  }
  const { name } = source;
  const gate = new SignalGate(stopped);
  using file = newExportFile(output);
  let head = 0;
  try {
    await source.read(async (store) => {
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
