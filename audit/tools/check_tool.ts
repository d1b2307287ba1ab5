import { join } from "node:path";
import { checkHistory } from "../../src/backup/history/check_history.ts";
import { SignalGate } from "../../src/backup/history/signal_gate.ts";
import { found } from "../../src/files/found.ts";
import { isThere } from "../../src/files/is_there.ts";
import { openForChecking } from "../../src/store/sqlite/connection/connection.ts";
import { STORE } from "../../tests/backup/fake_source.ts";
import { storedLines } from "../../tests/backup/stored_lines.ts";
import { readDatabase } from "../history/read_files.ts";
import {
  BACKUP,
  DATABASE,
  type Ended,
  EVENTS,
  EXPORT,
  firstLines,
  OLD_TEXT,
  PAGE_EVENTS,
} from "./directory.ts";
import type { Tool } from "./tools.ts";

/** A tool that was run in a directory, and the template that the directory was copied from. */
export interface Laid {
  readonly tool: Tool;
  readonly template: string;
  readonly directory: string;
}

/** No tool may say this when a disk fails, since the files are undamaged. */
const CLAIMS_OF_DAMAGE =
  /damage|corrupt|malformed|differs|is missing|unable to get the page|not a database|not an |is empty|belongs to|not a backup|another store/i;

const VERIFIED = new RegExp(`^${STORE}: ok, ${EVENTS} events; root [0-9a-f]{64}@${EVENTS}\n$`);

/** SQLite says this about a page that it cannot read, for any reason. */
const UNDECIDED = "database disk image is malformed, or the disk could not read it";

/** Causes for which a file could not be used. SQLite does not report why it could not open one. */
const CAUSES = /I\/O error|os error|disk is full|could not|cannot be|unable to open database file: \//i;

/** @returns the faults after a run on a disk that failed, in words */
export async function faultsAfter(laid: Laid, ended: Ended): Promise<string[]> {
  const left = await faultsOfWhatIsLeft(laid, ended.code === 0);
  return [...faultsOfWords(laid.tool, ended), ...left, ...faultsOfSource(laid)];
}

/**
 * @returns the faults after a run on a disk that works again. It must succeed or report that the work was done already
 */
export async function faultsAfterNext(laid: Laid, ended: Ended): Promise<string[]> {
  const isThereAlready = /already exists/.test(ended.stderr) && !laid.tool.args.includes("--force");
  const faults = ended.code === 0 || isThereAlready
    ? await faultsOfWhatIsLeft(laid, true)
    : [`exit code ${ended.code}: ${ended.stdout}${ended.stderr}`];
  return faults.map((fault) => `the next run, on a disk that works: ${fault}`);
}

function faultsOfWords({ program, makes }: Tool, { code, stdout, stderr }: Ended): string[] {
  const output = stdout + stderr;
  if (code === 0) {
    const isRight = makes !== "nothing" || VERIFIED.test(stdout);
    return stderr === "" && isRight ? [] : [`it succeeds and says: ${output}`];
  }
  if (code !== 1) return [`exit code ${code}: ${output}`];
  const faults: string[] = [];
  // Verify reports on standard output.
  const line = stderr === "" ? stdout : stderr;
  const start = stderr === "" && makes === "nothing" ? `${STORE}: not ok: ` : `eventstore-${program}: `;
  if (!line.startsWith(start) || line.indexOf("\n") !== line.length - 1) {
    faults.push(`it fails with other than one line: ${output}`);
  }
  if (CLAIMS_OF_DAMAGE.test(output.replaceAll(UNDECIDED, ""))) {
    faults.push(`it says that a file is damaged: ${output}`);
  }
  if (!CAUSES.test(output)) faults.push(`it does not say why it failed: ${output}`);
  return faults;
}

async function faultsOfWhatIsLeft(laid: Laid, isDone: boolean): Promise<string[]> {
  switch (laid.tool.makes) {
    case "backup":
      return isDone ? await faultsOfBackup(laid) : faultsOfUnfinishedBackup(laid);
    case "export":
      return faultsOfExport(laid, isDone);
    case "nothing":
      return [];
    default:
      return faultsOfStore(laid, isDone);
  }
}

/** The one file must be complete: operators do not copy other files next to it. */
async function faultsOfBackup({ directory }: Laid): Promise<string[]> {
  // SQLite does not report that it could not remove an empty log, which holds nothing.
  const beside = ["-wal", "-journal"].filter((end) => (found(join(directory, BACKUP + end))?.size ?? 0) > 0);
  if (beside.length > 0) return [`reported as done, and ${beside.join(" and ")} is there`];
  return await withCopy(join(directory, BACKUP), async (copy) => {
    const lines = storedLines(copy);
    if (lines.join("") !== firstLines(EVENTS).join("")) {
      return [`reported as done with ${lines.length} of ${EVENTS} events`];
    }
    using db = openForChecking(copy);
    const faults = await checkHistory(db, STORE, new SignalGate(new AbortController().signal));
    return faults.map((fault) => `reported as done, and ${fault}`);
  });
}

function faultsOfUnfinishedBackup({ directory, template, tool }: Laid): string[] {
  const lines = storedLines(join(directory, BACKUP));
  const before = join(tool.files.includes(`${BACKUP}.new`) ? directory : template, "older.db");
  const kept = isThere(before) ? storedLines(before).length : 0;
  if (lines.join("") !== firstLines(lines.length).join("")) return ["the backup has other events"];
  if (lines.length % PAGE_EVENTS !== 0 && lines.length !== EVENTS) {
    return [`the backup has ${lines.length} events, half a page`];
  }
  return lines.length < kept ? [`the backup had ${kept} events, and has ${lines.length}`] : [];
}

function faultsOfExport({ directory, template }: Laid, isDone: boolean): string[] {
  const text = Deno.readTextFileSync(join(directory, "out.ndjson"));
  const isWhole = text === Deno.readTextFileSync(join(template, EXPORT));
  return isWhole || (!isDone && text === OLD_TEXT) ? [] : [`the export has ${text.length} characters`];
}

/** A file at the path of the store is a complete store: the new one, or the earlier one. */
function faultsOfStore({ directory, template, tool }: Laid, isDone: boolean): string[] {
  const path = join(directory, DATABASE);
  if (!isThere(path)) {
    const beside = ["-wal", "-journal"].filter((end) => isThere(path + end));
    return [
      ...isDone ? ["there is no store"] : [],
      ...beside.map((end) => `there is only ${DATABASE}${end}`),
    ];
  }
  return withCopy(path, (copy): string[] => {
    using db = openForChecking(copy);
    const found = readDatabase(db);
    const { storeId, events } = found;
    const faults = [...found.faults];
    const isOld = tool.args.includes("--force") && storeId === oldStoreId(template);
    if (isOld) return isDone ? ["it is the store of before"] : faults;
    const until = tool.args.includes("--until") ? Number(tool.args.at(-1)) : EVENTS;
    const expected = tool.makes === "empty store" ? [] : firstLines(until).map((line) => JSON.parse(line));
    const isSame = JSON.stringify(events) === JSON.stringify(expected);
    return isSame
      ? faults
      : [...faults, `it has ${events.length} of ${expected.length} events, or other ones`];
  });
}

function oldStoreId(template: string): string {
  return withCopy(join(template, "old", "events.db"), (copy) => {
    using db = openForChecking(copy);
    return readDatabase(db).storeId;
  });
}

/** Files that a tool only reads stay unchanged. */
function faultsOfSource({ directory, template, tool }: Laid): string[] {
  const read = tool.makes === "backup" ? [] : [BACKUP, EXPORT];
  return read.filter((name) => isThere(join(directory, name))).flatMap((name) => {
    const [now, before] = [directory, template].map((place) => Deno.readFileSync(join(place, name)).toHex());
    return now === before ? [] : [`${name} was changed`];
  });
}

/** Copies the file without the other files next to it. */
function withCopy<T>(path: string, use: (copy: string) => T): T {
  const directory = Deno.makeTempDirSync({ prefix: "eventstore_audit_" });
  const remove = (): void => Deno.removeSync(directory, { recursive: true });
  let result: T;
  try {
    const copy = join(directory, "copy.db");
    Deno.copyFileSync(path, copy);
    result = use(copy);
  } catch (error) {
    remove();
    throw error;
  }
  if (result instanceof Promise) return result.finally(remove) as T;
  remove();
  return result;
}
