import { directoryOf } from "../../files/paths.ts";
import { syncInBackground } from "../../files/sync_file.ts";
import { Wrong } from "../ends.ts";

/** The root of a store at a head, as it was once, and where it is from, for messages. */
export interface EarlierRoot {
  /** undefined when only root and head are known. */
  readonly storeId: string | undefined;
  readonly head: number;
  readonly root: string;
  readonly source: string;
}

/** A root, as a line of the file has it. */
interface WitnessLine {
  readonly time: string;
  readonly storeId: string;
  readonly head: number;
  readonly root: string;
}

export const ROOT = /^[0-9a-f]{64}$/;

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
  const lines = text.split("\n");
  const rest = lines.pop();
  if (rest !== "") {
    const advice = "a write was cut off; delete it and try again";
    throw new Wrong(`${path}: line ${lines.length + 1}: it has no line feed: ${advice}`);
  }
  return lines.map((line, i) => witnessOf(line, `${path}: line ${i + 1}`));
}

function witnessOf(line: string, source: string): EarlierRoot {
  try {
    const { storeId, head, root } = JSON.parse(line) as WitnessLine;
    if (typeof storeId === "string" && Number.isSafeInteger(head) && head >= 0 && ROOT.test(root)) {
      return { storeId, head, root, source };
    }
  } catch {
    // The error below covers this case.
  }
  throw new Wrong(`${source}: must be JSON with time, storeId, head and root`);
}

/** Appends a line, durably. */
export async function appendWitness(path: string, line: WitnessLine): Promise<void> {
  const { time, storeId, head, root } = line;
  const bytes = new TextEncoder().encode(`${JSON.stringify({ time, storeId, head, root })}\n`);
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
