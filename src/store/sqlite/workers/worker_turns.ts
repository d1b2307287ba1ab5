import type { Remote } from "../../../workers/remote_worker.ts";
import type { StoreTurns } from "../../store.ts";
import type { Writer } from "../writing/writer.ts";

/** The turns of the writer's worker. Its groups begin at once, so nobody joins one later. */
export function workerTurns(writer: Remote<Writer>): StoreTurns {
  const group: StoreTurns["group"] = (writes) => writer.group(writes);
  return Object.create(writer, { group: { value: group } });
}
