import { serverOf } from "../../../client/server.ts";
import type { ShellContext } from "../context.ts";
import { ShellExit } from "../ends.ts";
import { jsonLine, printable } from "../output/printable.ts";

/** The answer of `GET /whoami`. */
interface Whoami {
  readonly name: string | null;
  readonly may: readonly string[];
  readonly within?: Readonly<Record<string, string>>;
  readonly expires?: string;
}

/** Asks the server once what the token may do. */
export async function whoami(context: ShellContext, { json }: { readonly json: boolean }): Promise<number> {
  const server = serverOf(context.place.options);
  const { body, json: parsed } = await server.once({ method: "GET", path: "/whoami" });
  const said = parsed<Whoami>(body);
  const { name, may, within, expires } = said;
  const identifiers = Object.entries(within ?? {}).map(([tag, value]) => `${tag}=${value}`);
  const line = `${name ?? "no name"}: may ${may.join(", ")}` +
    (within === undefined ? "" : `, only events with ${identifiers.join(" and ")}`) +
    (expires === undefined ? "" : `, until ${expires}`);
  await context.print(json ? jsonLine(said) : `${printable(line)}\n`);
  return ShellExit.ok;
}
