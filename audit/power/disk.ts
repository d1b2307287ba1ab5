import type { DiskOperation } from "./trace.ts";

/*
 * A disk with the guarantees that programs may rely on. Synced data is there. Of unsynced data any part may be there.
 * Names belong to the directory, which has a sync of its own. Changes of names reach the disk in their order, as in all
 * journaling file systems.
 */

const SECTOR = 512;

/** An unsynced change of a file's content. */
type Change = { readonly at: number; readonly bytes: Uint8Array } | { readonly size: number };

class DiskFile {
  /** The content that is certainly on the disk. */
  #durable: Uint8Array = new Uint8Array(0);
  pending: Change[] = [];
  /** The size with all pending changes. */
  size = 0;

  change(change: Change): void {
    this.pending.push(change);
    this.size = "size" in change ? change.size : Math.max(this.size, change.at + change.bytes.length);
  }

  sync(): void {
    this.#durable = this.content(this.pending);
    this.pending = [];
  }

  content(changes: readonly Change[]): Uint8Array {
    const length = changes.reduce(
      (most, change) => Math.max(most, "size" in change ? change.size : change.at + change.bytes.length),
      this.#durable.length,
    );
    const bytes = new Uint8Array(length);
    bytes.set(this.#durable);
    let size = this.#durable.length;
    for (const change of changes) {
      if ("size" in change) {
        // A part that was cut off is zero if the file grows again.
        bytes.fill(0, change.size, size);
        size = change.size;
      } else {
        bytes.set(change.bytes, change.at);
        size = Math.max(size, change.at + change.bytes.length);
      }
    }
    return bytes.subarray(0, size);
  }
}

/** A name gets a file or is removed. With `from`, another name is removed in the same step. */
type NameChange = { readonly name: string; readonly file: DiskFile | undefined; readonly from?: string };

/** Decides which of the unsynced changes survive a power cut. */
export interface Survival {
  /** The number of changes of names that survive; they survive in their order. */
  names(pending: number): number;
  /**
   * Decides if a change of content survives. For a change of bytes it may be a function that decides for each sector.
   */
  change(index: number, pending: number): boolean | ((sector: number) => boolean);
}

/** The files of a directory after a power cut. */
export type DiskImage = ReadonlyMap<string, Uint8Array>;

export class Disk {
  readonly #durableNames = new Map<string, DiskFile>();
  #pendingNames: NameChange[] = [];
  /** The names as the running program sees them. */
  readonly #names = new Map<string, DiskFile>();

  /** The number of changes that a power cut could lose. */
  get pending(): number {
    return this.#pendingNames.length +
      this.#filesAtStake().reduce((sum, file) => sum + file.pending.length, 0);
  }

  apply(operation: DiskOperation): void {
    const { file: name } = operation;
    if (operation.kind === "sync") return this.#sync(name);
    if (operation.kind === "rename") return this.#rename(name, operation.to);
    if (operation.kind === "unlink") return this.#setName(name, undefined);
    const file = this.#names.get(name);
    if (operation.kind === "create") {
      if (file === undefined) this.#setName(name, new DiskFile());
      else if (operation.truncates) file.change({ size: 0 });
      return;
    }
    if (file === undefined) throw new Error(`the trace changes ${name}, which it never created`);
    if (operation.kind === "truncate") file.change({ size: operation.size });
    else file.change({ at: operation.at ?? file.size, bytes: operation.bytes });
  }

  /** A content of the disk that a power cut at this moment may leave. */
  image(survival: Survival): DiskImage {
    const names = new Map(this.#durableNames);
    const kept = this.#pendingNames.slice(0, survival.names(this.#pendingNames.length));
    for (const change of kept) rename(names, change);
    const files = new Set(names.values());
    const pending = [...files].reduce((sum, file) => sum + file.pending.length, 0);
    let index = 0;
    const content = new Map<DiskFile, Uint8Array>();
    for (const file of files) {
      const survived = file.pending.flatMap((change) => surviving(change, survival.change(index++, pending)));
      content.set(file, file.content(survived));
    }
    return new Map([...names].map(([name, file]) => [name, content.get(file)!]));
  }

  #filesAtStake(): DiskFile[] {
    return [...new Set([...this.#durableNames.values(), ...this.#names.values()])];
  }

  #sync(name: string): void {
    if (name !== "") return this.#names.get(name)?.sync();
    for (const change of this.#pendingNames) rename(this.#durableNames, change);
    this.#pendingNames = [];
  }

  #rename(from: string, to: string): void {
    const file = this.#names.get(from);
    if (file === undefined) throw new Error(`the trace renames ${from}, which it never created`);
    this.#changeName({ name: to, file, from });
  }

  #setName(name: string, file: DiskFile | undefined): void {
    this.#changeName({ name, file });
  }

  #changeName(change: NameChange): void {
    rename(this.#names, change);
    this.#pendingNames.push(change);
  }
}

function rename(names: Map<string, DiskFile>, { name, file, from }: NameChange): void {
  if (from !== undefined) names.delete(from);
  if (file === undefined) names.delete(name);
  else names.set(name, file);
}

/** The parts of a change that survive, in whole sectors of the disk. */
function surviving(change: Change, kept: boolean | ((sector: number) => boolean)): Change[] {
  if (typeof kept === "boolean" || "size" in change) return kept === false ? [] : [change];
  const parts: Change[] = [];
  for (let at = change.at; at < change.at + change.bytes.length;) {
    const sector = Math.floor(at / SECTOR);
    const end = Math.min((sector + 1) * SECTOR, change.at + change.bytes.length);
    if (kept(sector)) parts.push({ at, bytes: change.bytes.subarray(at - change.at, end - change.at) });
    at = end;
  }
  return parts;
}
