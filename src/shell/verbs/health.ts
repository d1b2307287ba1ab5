import { serverOf } from "../../../client/server.ts";
import type { ShellContext } from "../context.ts";
import { ShellExit, WritesFail } from "../ends.ts";
import { jsonLine, printable } from "../output/printable.ts";

/** The answer of a server that can be read. */
interface Health {
  readonly status: string;
  /** Missing with the server's setting `openHealth` when no token is sent. */
  readonly version?: string;
  /** Of editions that can be paused. */
  readonly paused?: boolean;
  /** Given while writes fail. */
  readonly writes?: string;
  readonly reason?: string;
  readonly since?: string;
}

/**
 * Asks the server once. A server that is not healthy answers with an error.
 * @throws WritesFail when it reports that writes fail; with `json`, after its answer is printed
 */
export async function health(context: ShellContext, { json }: { readonly json: boolean }): Promise<number> {
  const server = serverOf(context.place.options);
  const { body } = await server.once({ method: "GET", path: "/health" });
  const said = healthOf(body);
  const { status, version, paused, writes, reason, since } = said;
  if (json) await context.print(jsonLine(said));
  if (writes !== undefined) {
    throw new WritesFail(`${context.place.name}: writes fail since ${since}: ${reason}`);
  }
  if (!json) {
    const of = version === undefined ? ", no details without a token" : `, version ${version}`;
    await context.print(`${printable(`${status}${of}${paused ? ", paused" : ""}`)}\n`);
  }
  return ShellExit.ok;
}

function healthOf(body: string): Health {
  try {
    const said = JSON.parse(body) as Health;
    if (said.status === "ok" && ["string", "undefined"].includes(typeof said.version)) return said;
  } catch {
    // The error below covers this case.
  }
  throw new Error("its answer is not that of an event store");
}
