import { basename, join } from "node:path";
import type { Random } from "../workload/random.ts";

/*
 * Data directories as accidents leave them: a file of the store is empty, cut off, another program's, a directory, a
 * pipe, a link, or missing.
 */

/** The files of a store after a stop (one file) or after a kill (with a log). */
export const BASES = ["stopped", "killed"] as const;
export type Base = (typeof BASES)[number];

const FILES = [
  "events.db",
  "events.db-wal",
  "events.db-shm",
  "events.db-journal",
  "events.db.new",
  "events.lock",
];

/** Replaces a file by something else. `other` is the data directory of another store, whose server was killed. */
type Shape = (path: string, random: Random, other: string) => Promise<void> | void;

function replaceWith(
  bytes: (old: Uint8Array<ArrayBuffer>, random: Random) => Uint8Array<ArrayBuffer>,
): Shape {
  return (path, random) => Deno.writeFileSync(path, bytes(bytesOf(path), random));
}

function bytesOf(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Deno.readFileSync(path);
  } catch {
    return new Uint8Array(8192);
  }
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

const OF_ANOTHER_STORE = "is that of another store";

const encoder = new TextEncoder();

export const SHAPES: Readonly<Record<string, Shape>> = {
  "is empty": replaceWith(() => new Uint8Array(0)),
  "has one byte": replaceWith(() => new Uint8Array(1)),
  "is text": replaceWith(() => encoder.encode("Not a database.\n".repeat(300))),
  "is zeros": replaceWith((old) => new Uint8Array(old.length)),
  "is cut off": replaceWith((old, random) => old.slice(0, random.below(old.length))),
  "is cut off at a page": replaceWith((old) => old.slice(0, Math.floor(old.length / 8192) * 4096)),
  "is longer": replaceWith((old) => Uint8Array.from([...old, ...new Uint8Array(5000)])),
  "has another first page": replaceWith((old) =>
    Uint8Array.from([...new Uint8Array(4096).fill(7), ...old.slice(4096)])
  ),
  "belongs to another program": replaceWith((old) => withNumber(old, 68, 1234)),
  "has another version": replaceWith((old) => withNumber(old, 60, 99)),
  "is missing": (path) => remove(path),
  "is a directory": (path) => {
    remove(path);
    Deno.mkdirSync(path);
  },
  "is a pipe": async (path) => {
    remove(path);
    await new Deno.Command("mkfifo", { args: [path] }).output();
  },
  "is a link to nothing": (path) => {
    remove(path);
    Deno.symlinkSync("/nonexistent/file", path);
  },
  "is a link to itself": (path) => {
    remove(path);
    Deno.symlinkSync(path, path);
  },
  "is a link to what was there": (path) => {
    const away = `${path}.away`;
    try {
      Deno.renameSync(path, away);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      Deno.writeFileSync(away, new Uint8Array(0));
    }
    Deno.symlinkSync(away, path);
  },
  [OF_ANOTHER_STORE]: (path, _, other) => Deno.copyFileSync(join(other, basename(path)), path),
};

/** The data directory itself, among its files. */
const DIRECTORY = ".";

/** The rights that the server lacks on a file, or on the directory. */
const RIGHTS: Readonly<Record<string, number>> = {
  "may not be read": 0o300,
  "may not be written": 0o500,
  "may not be touched": 0o000,
};

function withNumber(old: Uint8Array<ArrayBuffer>, at: number, value: number): Uint8Array<ArrayBuffer> {
  const bytes = old.length >= at + 4 ? old.slice() : new Uint8Array(4096);
  new DataView(bytes.buffer).setUint32(at, value);
  return bytes;
}

export interface WrongState {
  readonly base: Base;
  readonly file: string;
  readonly shape: string;
}

const statesOf = (files: readonly string[], shapes: object): WrongState[] =>
  BASES.flatMap((base) =>
    files.flatMap((file) => Object.keys(shapes).map((shape) => ({ base, file, shape })))
  );

export const WRONG_STATES: readonly WrongState[] = [
  ...statesOf(FILES, SHAPES).filter((state) => state.shape !== OF_ANOTHER_STORE || isMixture(state)),
  ...statesOf([DIRECTORY, ...FILES], RIGHTS).filter(isOfSomethingLeft),
];

/** Returns true when files of another store are mixed with files of this store. */
function isMixture({ base, file }: WrongState): boolean {
  return file === "events.db" ? base === "killed" : /-(wal|shm)$/.test(file);
}

function isOfSomethingLeft({ base, file }: WrongState): boolean {
  if (/-(wal|shm)$/.test(file)) return base === "killed";
  return [DIRECTORY, "events.db", "events.lock"].includes(file);
}

/** @param other the data directory of another store */
export async function makeWrong(
  dataDir: string,
  { file, shape }: WrongState,
  random: Random,
  other: string,
): Promise<void> {
  const path = join(dataDir, file);
  const rights = RIGHTS[shape];
  if (rights === undefined) await SHAPES[shape]!(path, random, other);
  else Deno.chmodSync(path, rights);
}

/** Makes everything in a directory removable. */
export async function permitAll(directory: string): Promise<void> {
  await new Deno.Command("chmod", { args: ["-R", "u+rwX", directory] }).output();
}
