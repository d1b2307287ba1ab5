import type { BackupSettings } from "../../config/load.ts";
import { Source } from "../source/source.ts";
import { writeKeysFile } from "../subjects/keys_file.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

/** Writes the keys of the source's subjects into a file of their own. */
export async function keys(
  context: VerbContext,
  { output, quiet }: { output: string; quiet: boolean },
  settings: BackupSettings,
): VerbEnd {
  using source = new Source(settings, context.stopped);
  await source.assertGivesKeys();
  const { count, storeId } = await writeKeysFile(source, output);
  if (!quiet) {
    context.print(`${output}: ${count} ${count === 1 ? "key" : "keys"} of store ${storeId}\n`);
  }
  return true;
}
