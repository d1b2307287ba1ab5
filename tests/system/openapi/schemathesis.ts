import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inDirectory } from "../../support/directory.ts";
import { type Ended, runCommand } from "../../support/run_command.ts";
import { startServer } from "../../support/server_process.ts";
import { pythonProgram } from "../support/python_tools.ts";
import { tcpUrlOf } from "../support/tcp_url.ts";

/*
 * Schemathesis makes requests from the document that a server sends: valid ones must be accepted, invalid ones rejected,
 * and every answer must be documented. The seed is fixed. A run still differs from others in values that answers brought.
 */

const CONFIG = fileURLToPath(new URL("./schemathesis.toml", import.meta.url));
const SEED = "1";

const SETTINGS = {
  SERVICE_SUBJECTS: "student",
  SERVICE_DEV_MODE: "true",
  // No schema can say how many values the names of an object may have in all.
  SERVICE_MAX_TAGS_PER_EVENT: "256",
  // An open ticket keeps all other writes waiting.
  SERVICE_TRANSACTION_TIMEOUT: "1",
  SERVICE_MAX_TRANSACTION_DURATION: "1",
};

/** Profiles take seconds. After a pause, writes are `503`, which is an error of the server to the tool. */
const LEFT_OUT = "^/debug/pprof/|^/pause$";

interface Document {
  readonly components: { readonly schemas: Record<string, Schema> };
}

export interface Schema {
  readonly type?: string;
  readonly minimum?: number;
  anyOf?: unknown;
  properties?: Record<string, Schema>;
}

/** Runs the tool on a server of its own with the document of the edition, which a test may change. */
export async function runSchemathesis(
  edition: string,
  change: (schemas: Record<string, Schema>) => void,
  ...args: readonly string[]
): Promise<Ended> {
  const env = { SERVICE_EDITION: edition, ...SETTINGS };
  await using server = await startServer({ listen: "tcp", listenOnly: true, env });
  const document = (await server.client().request("GET", "/openapi.json")).json() as unknown as Document;
  change(document.components.schemas);
  return await inDirectory(async (directory) => {
    const path = join(directory, "openapi.json");
    await Deno.writeTextFile(path, JSON.stringify(document));
    const program = await pythonProgram("schemathesis", "schemathesis");
    const options = [
      "--no-color",
      "--config-file",
      CONFIG,
      "run",
      path,
      "--url",
      tcpUrlOf(server),
      "--seed",
      SEED,
    ];
    // Two workers parse Python at the same time, and `ast.parse` of Python 3.11 may then fail in either.
    const phases = ["--phases", "examples,coverage,fuzzing", "--workers", "1"];
    return await runCommand([program, ...options, ...phases, ...args], { cwd: directory });
  });
}

/** The same for all operations, with up to this number of random requests for each. */
export function checkEdition(
  edition: string,
  requestsMax: number,
  ...args: readonly string[]
): Promise<Ended> {
  const all = ["--max-examples", String(requestsMax), "--exclude-path-regex", LEFT_OUT];
  return runSchemathesis(edition, simplerReads, ...all, ...args);
}

/**
 * A read that waits takes up to a minute, so no request has the key. And no schema says that the end of a time comes
 * after its start.
 */
export function simplerReads({ ReadRequest }: Record<string, Schema>): void {
  const { properties } = ReadRequest!;
  delete ReadRequest!.anyOf;
  delete properties!["waitSeconds"];
  delete properties!["time"]?.properties?.["before"];
}
