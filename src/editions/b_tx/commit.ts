import type { Reply } from "../../http/exchange.ts";
import { emptyReply } from "../../http/replies.ts";
import type { ProjectionDelete } from "../../model/projection.ts";
import { eventTerms } from "../../store/core/index_terms.ts";
import type { Conflict, StoreWrite } from "../../store/api/write.ts";
import { parseQueried } from "../../wire/event.ts";
import { Admission } from "../../write_queue/admission.ts";
import { countWrite } from "../shared/common_metrics.ts";
import {
  conflictLocation,
  conflictMessage as listedConflictMessage,
  throwIfRejected,
} from "../shared/conflicts.ts";
import type { CommitContent, CommittedChange } from "./optimistic_transaction.ts";
import type { TxCall } from "./tx_call.ts";

/** `POST /tx/{txId}/commit`: one member of a write group. It ends the transaction, whatever the outcome. */
export async function commit({ edition, transaction, running, request }: TxCall): Promise<Reply> {
  const { host, statistics } = edition;
  await request.discardBody();
  const content = transaction.commit();
  if (content !== undefined) {
    const lists = Object.groupBy(content.projections, listOf);
    const write = storeWrite(content, lists);
    // The commit runs even if the client disconnects, which must then treat the response as lost.
    const admission = new Admission("commit", undefined, running.bytesHeld());
    const { outcome } = await host.views.of(request.access).write(admission, write);
    countWrite(statistics.writes, outcome);
    throwIfRejected(
      outcome,
      (conflict) => conflictMessage(conflict, lists),
      (conflict) => locationOf(conflict, lists),
    );
  }
  running.finish();
  statistics.transactions.committed++;
  return emptyReply(204);
}

/** The changes, in the lists that the store expects. The index in a conflict refers to these lists. */
type Lists = Readonly<Partial<Record<"create" | "replace" | "delete", readonly CommittedChange[]>>>;

function listOf({ found, payload }: CommittedChange): keyof Lists {
  // Only a create needs no version: a transaction cannot delete a projection that never existed.
  if (found === undefined || found === "missing") return "create";
  return payload === undefined ? "delete" : "replace";
}

function storeWrite({ conditions, events }: CommitContent, lists: Lists): StoreWrite {
  const { create = [], replace = [], delete: deleted = [] } = lists;
  const versioned = ({ key, found }: CommittedChange): ProjectionDelete => ({
    ...key,
    version: (found as { version: string }).version,
  });
  return {
    conditions,
    projections: {
      create: create.map(({ key, payload }) => ({ ...key, payload: payload! })),
      replace: replace.map((change) => ({ ...versioned(change), payload: change.payload! })),
      delete: deleted.map(versioned),
    },
    events: events.map(({ body, timeMicros }) => ({
      timeMicros,
      body,
      terms: eventTerms(parseQueried(body)),
    })),
  };
}

/** Names projections by their keys, since the client sent no lists. */
function locationOf(conflict: Conflict, lists: Lists): object {
  if (conflict.list === "conditions") return conflictLocation(conflict);
  const { type, id } = lists[conflict.list]![conflict.index]!.key;
  return { projection: { type, id } };
}

function conflictMessage(conflict: Conflict, lists: Lists): string {
  const { list, index } = conflict;
  if (list === "conditions") return listedConflictMessage(conflict);
  const { key: { type, id }, found } = lists[list]![index]!;
  const projection = `projection ${type}/${id}`;
  if (found === undefined) return `${projection} already exists`;
  return found === "missing"
    ? `${projection} was created by another write since it was read`
    : `${projection} no longer has the version read`;
}
