import type { Tag } from "../../model/tag.ts";
import { directoryOf, nameOf, pathIn } from "../../files/paths.ts";
import { naming } from "../../files/naming.ts";
import { newExportFile } from "../history/export_file.ts";
import { HashChain } from "../history/hash_chain.ts";
import { readCompleteFile, trailerLine } from "./complete_file.ts";
import { decodeKeyLine, type KeptKey, keyLine } from "./subject_lines.ts";

/** Some keys of a store. */
interface KeysPart {
  readonly storeId: string;
  readonly items: readonly KeptKey[];
}

/** The content of a file of keys. */
export interface KeysFile {
  readonly path: string;
  readonly storeId: string;
  /** In the order in which they were made. */
  readonly keys: readonly KeptKey[];
}

/**
 * Writes the keys of a store into a file that only its owner can read, whole or not at all.
 * @param parts at least one
 * @returns how many there are, and of which store
 */
export async function writeKeysFile(
  parts: Iterable<KeysPart> | AsyncIterable<KeysPart>,
  path: string,
): Promise<{ readonly count: number; readonly storeId: string }> {
  removeLeftovers(path);
  using file = newExportFile(path);
  const chain = new HashChain();
  let storeId = "";
  let count = 0;
  for await (const part of parts) {
    storeId = part.storeId;
    const lines = part.items.map(keyLine);
    for (const line of lines) chain.add(line);
    count += lines.length;
    naming(path, () => file.write(lines.join("")));
  }
  naming(path, () => {
    file.write(trailerLine(storeId, count, chain));
    file.keep();
  });
  return { count, storeId };
}

/** A run that was killed leaves a part of a file under another name, with keys that may be forgotten one day. */
function removeLeftovers(path: string): void {
  const directory = directoryOf(path);
  naming(path, () => {
    for (const { name } of Deno.readDirSync(directory)) {
      const isLeft = name.startsWith(`${nameOf(path)}.`) &&
        /^[0-9]+\.new$/.test(name.slice(nameOf(path).length + 1));
      if (isLeft) Deno.removeSync(pathIn(directory, name));
    }
  });
}

/** Reads a file of keys. @throws Error that names the file, the line and the key at fault */
export function readKeysFile(path: string): KeysFile {
  const keys: KeptKey[] = [];
  const ids = new Set<string>();
  const subjects = new Set<string>();
  const storeId = readCompleteFile(path, (line) => {
    const key = decodeKeyLine(line);
    keys.push(key);
    ids.add(key.id);
    subjects.add(textOf(key.subject));
    if (ids.size < keys.length) throw new Error(`the key ${key.id} occurs twice`);
    if (subjects.size < keys.length) throw new Error(`the subject of the key ${key.id} has two keys`);
  });
  if (storeId === undefined) {
    throw new Error(`${path} does not name its store; make it with eventstore-backup keys`);
  }
  return { path, storeId, keys };
}

function textOf({ name, value }: Tag): string {
  return JSON.stringify([name, value]);
}
