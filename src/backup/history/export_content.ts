import type { ProjectionReplace } from "../../model/projection.ts";
import type { StoreState } from "../../store/api/state.ts";
import type { CopiedCheck } from "./copied_check.ts";
import { exportTrailer, type MovedStore } from "./export_trailer.ts";
import { HashChain } from "./hash_chain.ts";
import { projectionLine } from "./projection_lines.ts";
import type { SignalGate } from "./signal_gate.ts";
import { Damage } from "./walk_history.ts";

/** The content of a store, whatever its storage. */
export interface StoreContent extends StoreState {
  /** All events, checked. */
  readonly events: AsyncIterable<readonly { readonly line: string }[]>;
  readonly projections: Iterable<ProjectionReplace> | AsyncIterable<ProjectionReplace>;
}

type Write = (text: string) => void | Promise<void>;

interface ExportOptions {
  readonly gate: SignalGate;
  /** Compares the events of a backup with what was stored of them. */
  readonly copied?: CopiedCheck | undefined;
  /** True for a store that moves: its projections and its ID are exported, too. */
  readonly move?: boolean;
}

/**
 * Writes the lines of an export: every event, maybe the projections, and then the trailer, which says that nothing is
 * missing before it.
 * @throws Damage, without having written the trailer, when the events are not those that were stored
 */
export async function writeContent(
  { storeId, head, events, projections }: StoreContent,
  write: Write,
  { gate, copied, move = false }: ExportOptions,
): Promise<void> {
  const chain = new HashChain();
  for await (const batch of events) {
    for (const { line } of batch) {
      chain.add(line);
      copied?.add(line);
    }
    await write(batch.map(({ line }) => line).join(""));
  }
  const fault = copied?.fault();
  if (fault !== undefined) throw new Damage(fault);
  const moved = move ? { storeId, ...await writeProjections(projections, write, gate) } : undefined;
  await write(exportTrailer(head, chain, moved));
}

/** @returns how many there were, and the hash chain over their lines */
async function writeProjections(
  all: StoreContent["projections"],
  write: Write,
  gate: SignalGate,
): Promise<Omit<MovedStore, "storeId">> {
  const chain = new HashChain();
  let projections = 0;
  for await (const projection of all) {
    const line = projectionLine(projection);
    chain.add(line);
    projections++;
    await write(line);
    await gate.pass();
  }
  return { projections, chain };
}
