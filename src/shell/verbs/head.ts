import type { ShellContext } from "../context.ts";
import { reach } from "../edition.ts";
import { ShellExit } from "../ends.ts";
import { jsonLine } from "../output/printable.ts";

/** Prints the last position of the store. */
export async function head(context: ShellContext, { json }: { readonly json: boolean }): Promise<number> {
  const { store } = await reach(context.place);
  const position = await store.head();
  await context.print(json ? jsonLine(position) : `${position.sequence}\n`);
  return ShellExit.ok;
}
