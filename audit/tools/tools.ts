import { join } from "node:path";
import type { ProgramName } from "../../tools/build/program_task.ts";
import { BACKUP, DATABASE, EXPORT, OLD_TEXT } from "./directory.ts";

/** One use of a tool, and its expected result. */
export interface Tool {
  readonly program: ProgramName;
  readonly args: readonly string[];
  /** The result of the tool; `nothing` when it only reads. */
  readonly makes: "backup" | "store" | "empty store" | "export" | "nothing";
  /** The files whose calls fail, besides the files that SQLite creates next to a database. */
  readonly files: readonly string[];
  /** A file that it first writes under a name with its process ID. */
  readonly namedByProcess?: string;
  /** Copies the needed files from the template. */
  readonly lay: (template: string, directory: string) => void;
}

function copy(template: string, directory: string, from: string, to: string = from): void {
  const path = join(directory, to);
  Deno.mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  Deno.copyFileSync(join(template, from), path);
}

const layBackup: Tool["lay"] = (template, directory) => copy(template, directory, BACKUP);

const IN_BACKUPS = ["", "backup", "backup/backup.lock", BACKUP];
const IN_DATA = ["", "data", "data/events.lock", DATABASE, `${DATABASE}.new`];

export const TOOLS: Readonly<Record<string, Tool>> = {
  "first backup": {
    program: "backup",
    args: [],
    makes: "backup",
    files: [...IN_BACKUPS, `${BACKUP}.new`],
    lay: () => {},
  },
  "next backup": {
    program: "backup",
    args: [],
    makes: "backup",
    files: IN_BACKUPS,
    lay: (template, directory) => copy(template, directory, "older.db", BACKUP),
  },
  "verify": {
    program: "backup",
    args: ["verify"],
    makes: "nothing",
    files: IN_BACKUPS,
    lay: layBackup,
  },
  "restore": {
    program: "backup",
    args: ["restore", "--to", "data"],
    makes: "store",
    files: [...IN_BACKUPS, ...IN_DATA],
    lay: layBackup,
  },
  "restore --until": {
    program: "backup",
    args: ["restore", "--to", "data", "--until", "16"],
    makes: "store",
    files: [...IN_BACKUPS, ...IN_DATA],
    lay: layBackup,
  },
  "restore --force": {
    program: "backup",
    args: ["restore", "--to", "data", "--force"],
    makes: "store",
    files: [...IN_BACKUPS, ...IN_DATA],
    lay: (template, directory) => {
      layBackup(template, directory);
      copy(template, directory, "old/events.db", DATABASE);
    },
  },
  "export": {
    program: "backup",
    args: ["export", "--output", "out.ndjson"],
    makes: "export",
    files: [...IN_BACKUPS, "out.ndjson"],
    namedByProcess: "out.ndjson",
    lay: (template, directory) => {
      layBackup(template, directory);
      Deno.writeTextFileSync(join(directory, "out.ndjson"), OLD_TEXT);
    },
  },
  "import": {
    program: "init",
    args: ["--import", EXPORT, "--data-dir", "data"],
    makes: "store",
    files: [EXPORT, ...IN_DATA],
    lay: (template, directory) => copy(template, directory, EXPORT),
  },
  "init": {
    program: "init",
    args: ["--data-dir", "data"],
    makes: "empty store",
    files: IN_DATA,
    lay: () => {},
  },
};
