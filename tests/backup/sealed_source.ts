import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Reply } from "../support/connection.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import type { BackupDirectories } from "./run_backup.ts";

export const SUBJECTS = { SERVICE_SUBJECTS: "student" };

/** The text in every payload of a subject, and in nothing else. */
export const SECRET = "secret of ";

/** An event of a student. */
export function ofStudent(student: string): unknown {
  return { type: "Enrolled", identifiers: { student }, payload: `${SECRET}${student}` };
}

export async function forget(server: ServerProcess, student: string): Promise<void> {
  const json = { identifier: { name: "student", value: student } };
  const { status, text } = await server.client().request("POST", "/forget", { json });
  assert.equal(status, 200, text);
}

/** Runs `keys`, which must succeed. @returns the path of the file */
export async function copyKeys(place: BackupDirectories, name = "keys.ndjson"): Promise<string> {
  const output = join(place.directory, name);
  const { code, stdout, stderr } = await place.run({ args: ["keys", "--output", output] });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /keys\S*: \d+ keys? of store [0-9a-f-]{36}\n$/);
  return output;
}

/** The payloads of all events of a data directory, or `null` for those that were forgotten, as a server shows them. */
export async function payloadsIn(dataDir: string): Promise<(string | null)[]> {
  await using server = await startServer({ env: { ...SUBJECTS, SERVICE_DATA_DIR: dataDir } });
  return await payloadsOf(server);
}

export async function payloadsOf(server: ServerProcess): Promise<(string | null)[]> {
  const { events } = await server.client().queryEvents("*");
  return events.map((event) => "forgotten" in event ? null : event.payload);
}

/** The lines of a list of subjects, with the trailer. */
export async function subjectLines(server: ServerProcess, path: string): Promise<string[]> {
  const reply: Reply = await server.client().request("GET", path);
  assert.equal(reply.status, 200);
  return reply.text.split(/(?<=\n)/);
}

/** The key of a student in a file of keys. */
export function keyIn(path: string, student: string): { readonly id: string; readonly key: string } {
  const line = Deno.readTextFileSync(path).split("\n").find((line) => line.includes(`"value":"${student}"`));
  return JSON.parse(line!);
}

/** True when a file of a directory, or of one in it, holds these bytes. */
export function holdsBytes(directory: string, bytes: Uint8Array): boolean {
  const wanted = latin1(bytes);
  return [...Deno.readDirSync(directory)].some(({ name, isDirectory }) => {
    const path = join(directory, name);
    return isDirectory ? holdsBytes(path, bytes) : latin1(Deno.readFileSync(path)).includes(wanted);
  });
}

/** A character for each byte. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}
