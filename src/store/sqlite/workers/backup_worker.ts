import { BackupWriter } from "../backup/backup_writer.ts";
import { hostObject } from "../../../workers/host_object.ts";

hostObject(BackupWriter);
