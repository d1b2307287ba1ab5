import { ACT_HEADER } from "../workload/endings.ts";

/*
 * Reads a trace of a server as `strace --decode-fds=path` writes it, and extracts the part that matters for a power
 * cut. These are the operations on the files of the data directory. The requests received and the answers sent between
 * them are included.
 */

/** An operation on a file. The file is named without its directory; "" is the directory itself. */
export type DiskOperation =
  | { readonly kind: "create"; readonly file: string; readonly truncates: boolean }
  | {
    readonly kind: "write";
    readonly file: string;
    readonly at: number | undefined;
    readonly bytes: Uint8Array;
  }
  | { readonly kind: "truncate"; readonly file: string; readonly size: number }
  | { readonly kind: "sync"; readonly file: string }
  | { readonly kind: "unlink"; readonly file: string }
  | { readonly kind: "rename"; readonly file: string; readonly to: string };

/** A request that completes an act was received, or the first bytes of its answer are about to be sent. */
export type Exchange =
  | { readonly kind: "asked"; readonly act: number }
  | { readonly kind: "answered"; readonly act: number };

export type Traced = DiskOperation | Exchange;

/** The calls that `strace` must record. */
export const TRACED_CALLS = [
  "openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,copy_file_range,sendfile",
  "fsync,fdatasync,sync_file_range,msync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,recvfrom,sendto",
].join(",");

/** Calls that would change a file in a way that this reader does not know. */
const UNKNOWN =
  /^(writev|pwritev|pwritev2|truncate|fallocate|copy_file_range|sendfile|link|linkat|renameat|renameat2)$/;

interface Call {
  readonly name: string;
  readonly args: string;
  readonly result: string;
}

export class TraceReader {
  readonly #prefix: string;
  /** Calls that other threads have interrupted: their first part, by thread. */
  readonly #unfinished = new Map<string, string>();
  /** Acts without a sent answer, by connection. */
  readonly #asked = new Map<string, number>();

  constructor(dataDir: string) {
    this.#prefix = dataDir;
  }

  *read(text: string): Generator<Traced> {
    for (const line of text.split("\n")) {
      const [, thread, rest] = /^(\d+) +(.*)$/s.exec(line) ?? [];
      if (thread === undefined || rest === undefined || /^(\+\+\+|---)/.test(rest)) continue;
      if (rest.endsWith("<unfinished ...>")) {
        const begun = rest.slice(0, -"<unfinished ...>".length);
        this.#unfinished.set(thread, begun);
        // An answer counts as sent when its sending begins, everything else when it is complete.
        yield* this.#answer(begun);
        continue;
      }
      const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest)?.[1];
      const whole = resumed === undefined ? rest : (this.#unfinished.get(thread) ?? "") + resumed;
      if (resumed === undefined) yield* this.#answer(whole);
      const call = callIn(whole);
      if (call !== undefined) yield* this.#operation(call);
    }
  }

  *#answer(begun: string): Generator<Exchange> {
    const [, connection, status] = /^sendto\((\d+<[^>]*>), "HTTP\/1\.1 (\d)/.exec(begun) ?? [];
    const act = connection === undefined ? undefined : this.#asked.get(connection);
    if (act === undefined) return;
    this.#asked.delete(connection!);
    // After a rejection a client may try another way.
    if (status === "2") yield { kind: "answered", act };
  }

  *#operation({ name, args, result }: Call): Generator<Traced> {
    if (result.startsWith("-1") || result.startsWith("?")) return;
    if (name === "recvfrom") {
      const [, connection] = /^(\d+<[^>]*>), +"/.exec(args) ?? [];
      const act = new RegExp(`${ACT_HEADER}: (\\d+)\\\\r`).exec(args)?.[1];
      if (connection === undefined || act === undefined) return;
      this.#asked.set(connection, Number(act));
      yield { kind: "asked", act: Number(act) };
      return;
    }
    const operation = this.#diskOperation(name, args, result);
    // The memory shared by connections does not survive a power cut, and SQLite creates it again.
    if (operation !== undefined && !operation.file.endsWith("-shm")) yield operation;
  }

  #diskOperation(name: string, args: string, result: string): DiskOperation | undefined {
    if (name === "openat" || name === "open" || name === "creat") return this.#opened(args);
    if (name === "rename") {
      const [from, to] = [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path]) => this.#named(path!));
      return from === undefined || to === undefined ? undefined : { kind: "rename", file: from, to };
    }
    if (name === "unlink" || name === "unlinkat") {
      const file = this.#named(/"((?:[^"\\]|\\.)*)"/.exec(args)?.[1] ?? "");
      return file === undefined ? undefined : { kind: "unlink", file };
    }
    const file = this.#named(/^\d+<((?:[^>\\]|\\.)*)>/.exec(args)?.[1] ?? "");
    if (file === undefined) return undefined;
    if (UNKNOWN.test(name)) {
      throw new Error(`the trace has a call that is not understood: ${name}(${args.slice(0, 200)}`);
    }
    if (name === "fsync" || name === "fdatasync") return { kind: "sync", file };
    if (name === "ftruncate") return { kind: "truncate", file, size: Number(/(\d+)$/.exec(args)![1]) };
    return name === "pwrite64" || name === "write" ? written(file, name, args, Number(result)) : undefined;
  }

  #opened(args: string): DiskOperation | undefined {
    const [, path, flags] = /"((?:[^"\\]|\\.)*)", ([A-Z_|]+)/.exec(args) ?? [];
    const file = this.#named(path ?? "");
    if (file === undefined || flags === undefined || !/O_CREAT|O_TRUNC/.test(flags)) return undefined;
    return { kind: "create", file, truncates: flags.includes("O_TRUNC") };
  }

  /** The name of a file in the data directory, "" for the directory itself. */
  #named(path: string): string | undefined {
    if (path === this.#prefix) return "";
    if (!path.startsWith(`${this.#prefix}/`) || path.endsWith(" (deleted)")) return undefined;
    return path.slice(this.#prefix.length + 1);
  }
}

function callIn(text: string): Call | undefined {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(") ");
  const result = /^\) += +(.*)$/s.exec(text.slice(close))?.[1];
  if (open < 0 || close < open || result === undefined) return undefined;
  return { name: text.slice(0, open), args: text.slice(open + 1, close).trimEnd(), result };
}

function written(file: string, name: string, args: string, size: number): DiskOperation {
  const start = args.indexOf('"') + 1;
  const end = args.lastIndexOf('"');
  const bytes = unquoted(args.slice(start, end));
  if (bytes.length < size) throw new Error(`the trace has ${bytes.length} of ${size} bytes of a write`);
  const at = name === "write" ? undefined : Number(/(\d+)$/.exec(args)![1]);
  return { kind: "write", file, at, bytes: bytes.subarray(0, size) };
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12, '"': 34, "\\": 92 };

/** The bytes of a string between quotes, in the syntax of C. */
export function unquoted(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let byte = text.charCodeAt(i);
    if (byte === 92) {
      const next = text[++i]!;
      const octal = /^[0-7]{1,3}/.exec(text.slice(i, i + 3))?.[0];
      byte = octal === undefined ? ESCAPES[next]! : parseInt(octal, 8);
      if (octal !== undefined) i += octal.length - 1;
    }
    bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}
