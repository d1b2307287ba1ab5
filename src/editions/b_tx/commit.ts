import { turnError } from "../../core/turn_end.ts";
import type { Reply } from "../../http/exchange.ts";
import { emptyReply } from "../../http/replies.ts";
import { Refusal } from "../../model/errors.ts";
import type { ProjectionCreate, ProjectionDelete, ProjectionReplace } from "../../model/projection.ts";
import type { Conflict, StoreWrite } from "../../store/run_write.ts";
import { prepareEvent } from "../shared/prepare_event.ts";
import type { CommitContent, CommittedChange } from "./transaction.ts";
import type { TxCall } from "./tx_call.ts";

/** `POST /tx/{txId}/commit`: one member of a write group. The transaction is over, whatever comes of it. */
export async function commit({ edition, transaction, running, call }: TxCall): Promise<Reply> {
  const { host, statistics } = edition;
  await call.body();
  const content = transaction.commit();
  if (content !== undefined) {
    const { write, changes } = storeWrite(content);
    // It runs even if the client leaves, who then deals with a lost response.
    const { verdict } = await host.queue.write("commit", write, undefined);
    statistics.writeEnded(verdict);
    if (verdict.kind === "conflict") {
      throw new Refusal("ConcurrencyException", conflictMessage(verdict.conflict, changes));
    }
    if (verdict.kind !== "committed") throw turnError(verdict);
  }
  running.finish();
  statistics.transactions.committed++;
  return emptyReply(204);
}

/** The changes in the lists in which the store takes them, to find the one that a conflict speaks of. */
type Lists = Readonly<Record<"create" | "replace" | "delete", readonly CommittedChange[]>>;

function storeWrite(content: CommitContent): { write: StoreWrite; changes: Lists } {
  const create: ProjectionCreate[] = [];
  const replace: ProjectionReplace[] = [];
  const deleted: ProjectionDelete[] = [];
  const changes = { create: [], replace: [], delete: [] } as Record<keyof Lists, CommittedChange[]>;
  for (const change of content.projections) {
    const { key: { type, id }, found, payload } = change;
    if (found === undefined || found === "missing") {
      // Only a create needs no version: what was never there can't be deleted.
      create.push({ type, id, payload: payload! });
      changes.create.push(change);
    } else if (payload === undefined) {
      deleted.push({ type, id, version: found.version });
      changes.delete.push(change);
    } else {
      replace.push({ type, id, version: found.version, payload });
      changes.replace.push(change);
    }
  }
  const events = content.events.map(({ event, timeMicros }) => prepareEvent(event, timeMicros));
  const write = { conditions: content.conditions, projections: { create, replace, delete: deleted }, events };
  return { write, changes };
}

function conflictMessage({ list, index }: Conflict, changes: Lists): string {
  if (list === "conditions") return `conditions[${index}] no longer holds`;
  const { key: { type, id }, found } = changes[list][index]!;
  const projection = `projection ${type}/${id}`;
  if (found === undefined) return `${projection} already exists`;
  return found === "missing"
    ? `${projection} was created by another write since it was read`
    : `${projection} no longer has the version read`;
}
