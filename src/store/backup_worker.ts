import { BackupWriter } from "./backup_writer.ts";
import type { BackupCalls } from "./messages.ts";
import { answerCalls } from "./worker_port.ts";

let writer: BackupWriter | undefined;

function opened(): BackupWriter {
  if (writer === undefined) throw new Error("the backup is not open");
  return writer;
}

answerCalls<BackupCalls>({
  open(path, origin) {
    const opening = BackupWriter.open(path, origin);
    writer = opening.writer;
    return opening.opened;
  },
  append: (events) => opened().append(events),
  commit: (chain) => opened().commit(chain),
  close: () => opened().close(),
});
