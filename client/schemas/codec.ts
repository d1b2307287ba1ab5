import { EventStoreError, Refused } from "../errors.ts";
import type { NewEvent, StoredEvent, Tags } from "../events.ts";
import { partPath, ROOT } from "./payload_path.ts";
import { lossIn } from "./plain_json.ts";
import type {
  PayloadVersion,
  SchemaIssue,
  SchemaOptions,
  StandardSchema,
  VersionedSchema,
} from "./standard_schema.ts";

/** The metadata entry with the version of a payload, from version 2 on. */
const VERSION = "schemaVersion";

/** The most issues that a message quotes. */
const ISSUES_MAX = 5;

/** The options that a store was created with, for events of any types. */
export type Options = SchemaOptions<Record<string, unknown>>;

/** Checks the payloads of events to write, and returns the events as they are stored. @throws `Refused` */
export async function written(options: Options, events: readonly NewEvent[]): Promise<NewEvent[]> {
  const checked: NewEvent[] = [];
  for (const [i, event] of events.entries()) {
    checked.push(await writtenOne(options, event, `events[${i}] (type ${event.type})`));
  }
  return checked;
}

async function writtenOne(options: Options, event: NewEvent, what: string): Promise<NewEvent> {
  const versions = versionsOf(options, event.type);
  if (!versions) throw new Refused({ code: "NoSchema", message: `${what}: this type has no schema` });
  const { schema } = versions.at(-1)!;
  const payload = await valid(schema, event.payload, what, Refused);
  if (options.checkReads) {
    const text = JSON.stringify(payload);
    if (text) await valid(schema, JSON.parse(text), `${what}, once it is JSON`, Refused);
  } else {
    const loss = lossIn(payload);
    const message = `${what}: ${loss} would change in JSON; with checkReads, the schema can restore it`;
    if (loss) throw new Refused({ code: "InvalidPayload", message });
  }
  const { [VERSION]: _copied, ...metadata } = event.metadata ?? {};
  const number = versions.length;
  return { ...event, payload, metadata: number > 1 ? { ...metadata, [VERSION]: String(number) } : metadata };
}

/** Brings the payloads of stored events into their newest version. @throws EventStoreError */
export async function read(options: Options, events: readonly StoredEvent[]): Promise<StoredEvent[]> {
  const newest: StoredEvent[] = [];
  for (const event of events) newest.push(await readOne(options, event));
  return newest;
}

async function readOne(options: Options, event: StoredEvent): Promise<StoredEvent> {
  const versions = event.forgotten ? undefined : versionsOf(options, event.type);
  if (!versions) return event;
  const version = versionOf(event.metadata);
  const what = `event ${event.sequence} (type ${event.type}, version ${version})`;
  const own = versions.findIndex((_, i) => String(i + 1) === version);
  if (own < 0) {
    const message = `${what}: this program knows the versions 1 to ${versions.length}`;
    throw new EventStoreError({ code: "UnknownVersion", message });
  }
  const later = versions.slice(own + 1);
  if (!later.length && !options.checkReads) return event;
  const checked = async ({ schema }: PayloadVersion, payload: unknown, what: string): Promise<unknown> =>
    options.checkReads ? await valid(schema, payload, what, EventStoreError) : payload;
  let payload = await checked(versions[own]!, event.payload, what);
  try {
    for (const { upcast } of later) payload = upcast!(payload as never, event);
  } catch (cause) {
    throw new EventStoreError({ code: "UpcastFailed", message: `${what}: upcast: ${cause}`, cause });
  }
  if (later.length) payload = await checked(later.at(-1)!, payload, `${what}, upcast to ${versions.length}`);
  return { ...event, payload };
}

/** The version of a payload, as text. */
export function versionOf(metadata: Tags): string {
  return String(Object.hasOwn(metadata, VERSION) ? metadata[VERSION] : 1);
}

/**
 * The versions of a type, oldest first; undefined without a schema.
 * @throws TypeError when it has no Standard Schema
 */
export function versionsOf({ schemas = {} }: Options, type: string): readonly PayloadVersion[] | undefined {
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
  if (!schema) return undefined;
  const all = (schema as Partial<VersionedSchema<unknown>>)["~versions"] ?? [{ schema }];
  const wrong = all.findIndex(({ schema }) => !schema?.["~standard"]);
  if (wrong < 0) return all;
  throw new TypeError(`schemas.${type}, version ${wrong + 1}, is not a Standard Schema`);
}

/** Returns the output of a schema. The error quotes some issues, and has all of them as its cause. */
async function valid(
  schema: StandardSchema,
  payload: unknown,
  what: string,
  Kind: typeof EventStoreError,
): Promise<unknown> {
  const result = await schema["~standard"].validate(payload);
  if (!result.issues) return result.value;
  const said = result.issues.slice(0, ISSUES_MAX).map(({ message, path }) => `${pathText(path)}: ${message}`);
  const more = result.issues.length - said.length;
  if (more > 0) said.push(`and ${more} more`);
  throw new Kind({ code: "InvalidPayload", message: `${what}: ${said.join("; ")}`, cause: result.issues });
}

function pathText(path: SchemaIssue["path"] = []): string {
  return path.reduce<string>(
    (text, part) => partPath(text, typeof part === "object" ? part.key : part),
    ROOT,
  );
}
