import { EventStoreError, type NewEvent, Refused, type Subject } from "../../../client/mod.ts";
import type { ShellContext } from "../context.ts";
import { reach, type Reached } from "../edition.ts";
import { NotFound, ShellExit, Wrong } from "../ends.ts";
import { eventBatches } from "../event_lines.ts";
import { jsonLine, printable } from "../output/printable.ts";

interface ForgetFlags {
  readonly event: readonly string[];
  readonly json: boolean;
}

/** Makes the payloads of a subject unreadable, writes events in the same turn, and prints what happened. */
export async function forget(
  context: ShellContext,
  [word]: readonly string[],
  { event, json }: ForgetFlags,
): Promise<number> {
  const subject = subjectOf(word!);
  const events = (await Promise.all(event.map(eventsOf))).flat();
  const { store, server } = await reach(context.place);
  const done = await explained(subject, server, () => store.forget(subject, { events }));
  if (json) await context.print(jsonLine(done));
  else {
    const what = done.forgotten === "now"
      ? "is forgotten: its encrypted payloads are unreadable for good"
      : "was forgotten before";
    const sequences = done.events.map(({ sequence }) => sequence).join(", ");
    const written = sequences === "" ? "" : `; written: ${sequences}`;
    await context.print(`${printable(word!)} ${what}${written}\n`);
  }
  return ShellExit.ok;
}

/** Prints all events of a subject, each as one line of JSON. */
export async function subject(context: ShellContext, [word]: readonly string[]): Promise<number> {
  const wanted = subjectOf(word!);
  const { server } = await reach(context.place);
  await explained(wanted, server, () => printEvents(context, server, wanted));
  return ShellExit.ok;
}

async function printEvents(
  context: ShellContext,
  server: Reached["server"],
  { name, value }: Subject,
): Promise<void> {
  // As a segment of a path they would name a folder.
  const odd = [name, value].find((segment) => /^\.{0,2}$/.test(segment));
  if (odd !== undefined) throw new Wrong(`no path can hold "${odd}"; use read --json`);
  const path = `/subjects/${encodeURIComponent(name)}/${encodeURIComponent(value)}`;
  const answer = await server.begin({ method: "GET", path });
  let isWhole = false;
  for await (const lines of answer.lines()) {
    const events = lines.filter((line) => !line.startsWith('{"hasMore"'));
    isWhole ||= events.length < lines.length;
    await context.print(events.map((line) => jsonLine(answer.json(line))).join(""));
  }
  if (!isWhole) throw answer.lost("half a page");
}

/** Parses `name=value`. @throws Wrong */
function subjectOf(word: string): Subject {
  const end = word.indexOf("=");
  if (end < 1) throw new Wrong(`a subject is name=value, not ${JSON.stringify(word)}`);
  return { name: word.slice(0, end), value: word.slice(end + 1) };
}

async function eventsOf(text: string): Promise<NewEvent[]> {
  const bytes = new TextEncoder().encode(text);
  return await Array.fromAsync(eventBatches(oneChunk(bytes), "--event", Infinity)).then((all) => all.flat());
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield await Promise.resolve(bytes);
}

/** Says what a 404 means. @throws NotFound, Wrong or the error of `ask` */
async function explained<T>(
  subject: Subject,
  server: Reached["server"],
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof EventStoreError) || error.status !== 404) throw error;
    if (error.code === "SubjectNotFound") {
      throw new NotFound(`${await whyUnknown(subject, server)}; nothing was written`);
    }
    const why = "this server encrypts nothing, so it forgets nothing: its setting subjects is empty";
    throw error instanceof Refused ? new Wrong(why) : error;
  }
}

/** Says why the server has no key of a subject. */
async function whyUnknown({ name, value }: Subject, server: Reached["server"]): Promise<string> {
  const { body, json } = await server.once({ method: "GET", path: "/whoami" });
  const { subjects = [] } = json<{ readonly subjects?: readonly string[] }>(body);
  return subjects.includes(name)
    ? `no event was ever stored encrypted for ${name}=${value}`
    : `the setting subjects of this server is ${subjects.join(", ")}, without ${name}`;
}
