import { createHash } from "node:crypto";
import { join } from "node:path";
import type { EditionName } from "../../src/config/setting.ts";
import { openStore } from "../history/open_store.ts";
import type { StoreContent } from "../history/store_content.ts";
import type { DiskImage } from "./disk.ts";

/**
 * Opens the files that power cuts have left, as a start does. Many cuts leave the same files, byte for byte: between two
 * syncs, a disk that drops all unsynced changes stays the same. Such files are opened once.
 */
export class OpenedImages implements Disposable {
  readonly #edition: EditionName;
  readonly #directory = directoryInMemory();
  readonly #found = new Map<string, StoreContent>();

  constructor(edition: EditionName) {
    this.#edition = edition;
  }

  /** How many different images were opened. */
  get opened(): number {
    return this.#found.size;
  }

  contentOf(image: DiskImage): StoreContent {
    const key = keyOf(image);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = this.#open(image);
    this.#found.set(key, found);
    return found;
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#directory, { recursive: true });
  }

  #open(image: DiskImage): StoreContent {
    const dataDir = join(this.#directory, "data");
    Deno.mkdirSync(dataDir, { mode: 0o700 });
    try {
      for (const [name, bytes] of image) Deno.writeFileSync(join(dataDir, name), bytes, { mode: 0o600 });
      return openStore(dataDir, this.#edition);
    } finally {
      Deno.removeSync(dataDir, { recursive: true });
    }
  }
}

function keyOf(image: DiskImage): string {
  const hash = createHash("sha256");
  for (const [name, bytes] of [...image].sort(([one], [other]) => one < other ? -1 : 1)) {
    hash.update(`${name} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("base64");
}

/** Returns a directory in memory if the system has one: nothing there needs to survive. */
function directoryInMemory(): string {
  try {
    return Deno.makeTempDirSync({ dir: "/dev/shm", prefix: "eventstore_audit_" });
  } catch {
    return Deno.makeTempDirSync({ prefix: "eventstore_audit_" });
  }
}
