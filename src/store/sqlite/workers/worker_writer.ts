import type { Remote } from "../../../workers/remote_worker.ts";
import type { StoreWriter } from "../../store.ts";
import type { Writer } from "../writing/writer.ts";

/** The write transactions of the writer's worker. A group begins at once, so no write joins one later. */
export function workerWriter(writer: Remote<Writer>): StoreWriter {
  const group: StoreWriter["group"] = (writes) => writer.group(writes);
  return Object.create(writer, { group: { value: group } });
}
