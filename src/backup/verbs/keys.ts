import { UsageError } from "../../config/config_error.ts";
import type { BackupSettings } from "../../config/load.ts";
import { writeKeysMetricsFile } from "../reports/metrics_file.ts";
import { Source } from "../source/source.ts";
import { writeKeysFile } from "../subjects/keys_file.ts";
import { decodeKeyLine } from "../subjects/subject_lines.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

export interface KeysOptions {
  readonly output: string;
  /** Where to write the list of what was forgotten. */
  readonly forgotten: string | undefined;
  /** Where to report that the keys were copied. */
  readonly metricsFile: string | undefined;
  readonly quiet: boolean;
}

/** Writes the keys of the source's subjects into a file of their own. */
export async function keys(
  context: VerbContext,
  { output, forgotten, metricsFile, quiet }: KeysOptions,
  settings: BackupSettings,
): VerbEnd {
  if (forgotten !== undefined) throw new UsageError(["--forgotten needs --from or --from-server"]);
  using source = new Source(settings, context.stopped);
  await source.assertGivesKeys();
  const { count, storeId } = await writeKeysFile(source.subjects("/subjects/keys", decodeKeyLine), output);
  if (metricsFile !== undefined) writeKeysMetricsFile(metricsFile);
  if (!quiet) context.print(keysText(output, count, storeId));
  return true;
}

export function keysText(output: string, count: number, storeId: string): string {
  return `${output}: ${count} ${count === 1 ? "key" : "keys"} of store ${storeId}\n`;
}
