import { isThere, rejectDangling } from "../../files/is_there.ts";
import { pathIn } from "../../files/paths.ts";
import { naming } from "../../files/naming.ts";
import { newExportFile } from "../history/export_file.ts";
import { HashChain } from "../history/hash_chain.ts";
import type { Source } from "../source/source.ts";
import { readCompleteFile, trailerLine } from "./complete_file.ts";
import { decodeForgottenLine, type ForgottenKey, forgottenLine } from "./subject_lines.ts";

/** Keys that were forgotten, by their IDs. */
export type ForgottenKeys = ReadonlyMap<string, ForgottenKey>;

/** The list of what has been forgotten in a store, next to its backup. */
export function forgottenPath(dataDir: string, storeId: string): string {
  return pathIn(dataDir, `${storeId}.forgotten.ndjson`);
}

/**
 * Reads a list, of a backup or as a server sends it.
 * @param storeId the store that it must be of, if it names one
 * @throws Error that names the file, and the line at fault
 */
export function readForgottenList(path: string, storeId?: string): ForgottenKeys {
  const found = new Map<string, ForgottenKey>();
  const named = readCompleteFile(path, (line) => {
    const key = decodeForgottenLine(line);
    found.set(key.id, key);
  });
  if (storeId === undefined || named === undefined || named === storeId) return found;
  throw new Error(`${path} is the list of store ${named}, not of ${storeId}`);
}

/** Returns the list next to a backup; undefined when there is none. */
export function readForgottenOf(dataDir: string, storeId: string): ForgottenKeys | undefined {
  const path = forgottenPath(dataDir, storeId);
  rejectDangling(path);
  return isThere(path) ? readForgottenList(path, storeId) : undefined;
}

/**
 * Adds what the source has forgotten to the list next to the backup, durably. Nothing in the list disappears from it.
 * @throws Error also when the source is another store by now
 */
export async function updateForgottenList(source: Source, storeId: string, dataDir: string): Promise<void> {
  const known = readForgottenOf(dataDir, storeId);
  const all = new Map(known);
  for await (const part of source.subjects("/subjects/forgotten", decodeForgottenLine)) {
    if (part.storeId !== storeId) {
      throw new Error(
        `the source ${source.name} was reset during the run: it holds store ${part.storeId} now`,
      );
    }
    for (const key of part.items) {
      // The first moment counts.
      if (!all.has(key.id)) all.set(key.id, key);
    }
  }
  if (known?.size !== all.size) writeForgottenList(forgottenPath(dataDir, storeId), storeId, all);
}

/** Writes a list, whole or not at all. */
export function writeForgottenList(path: string, storeId: string, keys: ForgottenKeys): void {
  using file = newExportFile(path);
  const chain = new HashChain();
  let text = "";
  for (const key of keys.values()) {
    const line = forgottenLine(key);
    chain.add(line);
    text += line;
  }
  naming(path, () => {
    file.write(text + trailerLine(storeId, keys.size, chain));
    file.keep();
  });
}
