import { join } from "node:path";
import type { StoreContent } from "../history/store_content.ts";
import { openStore } from "../history/open_store.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { DiskImage } from "./disk.ts";

/**
 * Opens the files that a power cut has left, as a start does.
 * @param dataDir is created, and removed at the end
 */
export function openImage(image: DiskImage, dataDir: string, edition: EditionName): StoreContent {
  Deno.mkdirSync(dataDir, { mode: 0o700 });
  try {
    for (const [name, bytes] of image) Deno.writeFileSync(join(dataDir, name), bytes, { mode: 0o600 });
    return openStore(dataDir, edition);
  } finally {
    Deno.removeSync(dataDir, { recursive: true });
  }
}
