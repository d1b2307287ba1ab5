import { directoryOf } from "../../files/paths.ts";
import { syncInBackground } from "../../files/sync_file.ts";
import { type EarlierRoot, ROOT } from "../../model/earlier_roots.ts";
import { parseRootLines, type RootLine, rootLine } from "../../wire/root_lines.ts";
import { Wrong } from "../ends.ts";

/** Parses `root@head`. @throws Wrong */
export function earlierRoot(text: string, flag: string): EarlierRoot {
  const [root, head, ...rest] = text.split("@");
  if (!ROOT.test(root!) || !/^\d{1,15}$/.test(head ?? "") || rest.length > 0) {
    throw new Wrong(`--${flag}: must be 64 hexadecimal digits, @ and a head, not ${JSON.stringify(text)}`);
  }
  return { storeId: undefined, head: Number(head), root: root!, source: `--${flag}` };
}

/** Returns the roots in a file, the oldest first, none when there is no file. @throws Wrong names the line */
export async function readWitness(path: string): Promise<EarlierRoot[]> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw new Wrong(`--witness: ${path}: cannot be read: ${(error as Error).message}`);
  }
  try {
    return parseRootLines(path, text);
  } catch (error) {
    throw new Wrong((error as Error).message);
  }
}

/** Appends a line, durably. */
export async function appendWitness(path: string, line: RootLine): Promise<void> {
  const bytes = new TextEncoder().encode(rootLine(line));
  using file = await Deno.open(path, { append: true, create: true });
  // One call, so that lines of several processes do not mix.
  const written = await file.write(bytes);
  if (written < bytes.length) {
    throw new Error(`${path}: only ${written} of ${bytes.length} bytes were written`);
  }
  await file.sync();
  // The file may be new.
  await syncInBackground(directoryOf(path));
}
