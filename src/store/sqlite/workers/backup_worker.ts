import { BackupWriter } from "../backup/backup_writer.ts";
import { hostObject } from "./host_object.ts";

hostObject(BackupWriter);
