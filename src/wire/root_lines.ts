import { type EarlierRoot, ROOT } from "../model/earlier_roots.ts";

/** A root with its head, as a line of a file of roots has it. */
export interface RootLine {
  readonly time: string;
  readonly storeId: string;
  readonly head: number;
  readonly root: string;
}

/** Returns the line of a root, with its line feed. */
export function rootLine({ time, storeId, head, root }: RootLine): string {
  return `${JSON.stringify({ time, storeId, head, root })}\n`;
}

/** Parses the text of a file of roots, the oldest first. @throws Error that names the file and the line at fault */
export function parseRootLines(path: string, text: string): EarlierRoot[] {
  const lines = text.split("\n");
  const rest = lines.pop();
  if (rest !== "") {
    const advice = "a write was cut off; delete it and try again";
    throw new Error(`${path}: line ${lines.length + 1}: it has no line feed: ${advice}`);
  }
  return lines.map((line, i) => earlierRootIn(line, `${path}: line ${i + 1}`));
}

function earlierRootIn(line: string, source: string): EarlierRoot {
  try {
    const { storeId, head, root } = JSON.parse(line) as RootLine;
    if (typeof storeId === "string" && Number.isSafeInteger(head) && head >= 0 && ROOT.test(root)) {
      return { storeId, head, root, source };
    }
  } catch {
    // The error below covers this case.
  }
  throw new Error(`${source}: must be JSON with time, storeId, head and root`);
}
