import { HashChain } from "../history/hash_chain.ts";
import { readLines } from "../history/lines.ts";
import { TRAILER_START } from "../history/export_trailer.ts";

/*
 * A file of lines whose last line proves that none is missing or changed. Without it, a list of forgotten subjects that
 * was cut short would bring people back.
 */

/** The last line of such a file. */
interface Trailer {
  readonly complete: true;
  readonly store: string;
  /** The number of lines before it. */
  readonly lines: number;
  /** The hash chain over them. */
  readonly chain: string;
}

export function trailerLine(store: string, lines: number, chain: HashChain): string {
  const trailer: Trailer = { complete: true, store, lines, chain: chain.hex };
  return `${JSON.stringify(trailer)}\n`;
}

/** The last line of a list that a server has sent. */
const SERVER_TRAILER = '{"hasMore":false}\n';

const decoder = new TextDecoder();

/**
 * Reads a file up to its trailer.
 * @param onLine called with each line before it, line feed included, which is unchanged only meanwhile
 * @returns the store that the trailer names; undefined for a list as a server sends it
 * @throws Error that names the file, and the line at fault
 */
export function readCompleteFile(path: string, onLine: (line: Uint8Array) => void): string | undefined {
  let number = 0;
  try {
    using file = Deno.openSync(path);
    const chain = new HashChain();
    let trailer: string | undefined;
    for (const line of readLines((bytes) => file.readSync(bytes))) {
      number++;
      if (trailer !== undefined) throw new Error("nothing may follow the trailer");
      const whole = withLineFeed(line);
      trailer = trailerIn(whole);
      if (trailer !== undefined) continue;
      onLine(whole);
      chain.add(whole);
    }
    if (trailer === undefined) throw new Error("the trailer is missing, so it was cut short");
    return storeOf(trailer, number - 1, chain);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      number === 0 ? `${path} cannot be read: ${message}` : `${path}, line ${number}: ${message}`,
    );
  }
}

function withLineFeed(line: Uint8Array): Uint8Array {
  const whole = new Uint8Array(line.length + 1);
  whole.set(line);
  whole[line.length] = "\n".charCodeAt(0);
  return whole;
}

function trailerIn(line: Uint8Array): string | undefined {
  const text = decoder.decode(line.subarray(0, 200));
  return text === SERVER_TRAILER || text.startsWith(TRAILER_START) ? text : undefined;
}

function storeOf(trailer: string, lines: number, chain: HashChain): string | undefined {
  if (trailer === SERVER_TRAILER) return undefined;
  const store = /"store":"([0-9a-f-]{36})"/.exec(trailer)?.[1];
  if (store === undefined || trailer !== trailerLine(store, lines, chain)) {
    throw new Error("the trailer does not fit the lines before it, so one of them was changed or is missing");
  }
  return store;
}
