import type { Bounds } from "../timeline/time_bounds.ts";
import type { Filter } from "./filter.ts";
import { type Edition, type Query, type QueryItem, queryOf } from "./query.ts";
import { escapedJson } from "../parts/visible_text.ts";

/*
 * The list on the page as text to copy: a query, a shell command, a program.
 */

/** Facts about the store, which the explorer's server sends to the page. */
export interface StoreFacts {
  readonly place: string;
  readonly isSocket: boolean;
  readonly hasToken: boolean;
  readonly edition: Edition;
}

export function queryText(filter: Filter, edition: Edition): string {
  return escapedJson(JSON.stringify(queryOf(filter, edition)));
}

/** A command that reads the newest matching events. Only edition C reads by time; for the others, times become sequences. */
export function curlText(filter: Filter, bounds: Bounds, facts: StoreFacts): string {
  const { after, before } = bounds;
  const request = {
    query: queryOf(filter, facts.edition),
    ...facts.edition === "C" ? timesOf(filter) : {
      ...after === 0 ? {} : { afterSequence: after },
      ...before === Infinity ? {} : { beforeSequence: before },
    },
    backwards: true,
    limit: 100,
  };
  return curl(facts, ["-X QUERY"], "/events", ` -d ${quoted(escapedJson(JSON.stringify(request)))}`);
}

function timesOf({ from, before }: Filter): { time?: { from?: string; before?: string } } {
  if (from === undefined && before === undefined) return {};
  const time = {
    ...from === undefined ? {} : { from: new Date(from).toISOString() },
    ...before === undefined ? {} : { before: new Date(before).toISOString() },
  };
  return { time };
}

export function projectionCurlText(type: string, id: string, facts: StoreFacts): string {
  return curl(facts, [], `/projections/${encodeURIComponent(type)}/${encodeURIComponent(id)}`, "");
}

function curl(
  { place, isSocket, hasToken }: StoreFacts,
  flags: string[],
  path: string,
  rest: string,
): string {
  const words = ["curl"];
  if (isSocket) words.push(`--unix-socket ${quoted(place)}`);
  if (hasToken) words.push('-H "Authorization: Bearer $TOKEN"');
  words.push(...flags, quoted(`${isSocket ? "http://localhost" : place}${path}`));
  return words.join(" ") + rest;
}

/** A program that reads the same events with the client library, from the first to the last. */
export function typeScriptText(
  filter: Filter,
  { after, before }: Bounds,
  { place, isSocket, hasToken, edition }: StoreFacts,
): string {
  const options = [
    `${isSocket ? "socketPath" : "url"}: ${JSON.stringify(place)}`,
    ...edition === "A" ? [] : [`edition: "${edition}"`],
    ...hasToken ? ["token"] : [],
  ];
  const range = [
    ...after === 0 ? [] : [`after: ${after}`],
    ...before === Infinity ? [] : [`before: ${before}`],
  ];
  const read = range.length === 0 ? "query" : `query, { ${range.join(", ")} }`;
  return [
    'import { EventStore } from "eventstore-client";',
    "",
    `const store = new EventStore({ ${options.join(", ")} });`,
    `const query = ${literalOf(clientQueryOf(queryOf(filter, edition)))};`,
    `for await (const event of store.readAll(${read})) console.log(event.sequence, event.type, event.payload);`,
    "",
  ].join("\n");
}

/** A value as a TypeScript literal, in which `"__proto__": value` would not be a property. */
function literalOf(value: unknown): string {
  // JSON strings hold no line feeds, so a string at the beginning of a line is a key.
  return escapedJson(JSON.stringify(value, null, 2)).replace(/^( *)"__proto__":/gm, '$1["__proto__"]:');
}

/** The query as the client library takes it, with tags as objects. */
function clientQueryOf(query: Query): unknown {
  if (typeof query === "string") return "*";
  return query.map(({ types, identifiers, metadata }: QueryItem) => ({
    ...types === undefined ? {} : { types },
    ...identifiers === undefined ? {} : { identifiers: tagObject(identifiers) },
    ...metadata === undefined ? {} : { metadata: tagObject(metadata) },
  }));
}

function tagObject(pairs: readonly { name: string; value: string }[]): Record<string, string | string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of pairs) values.set(name, [...values.get(name) ?? [], value]);
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? list[0]! : list]));
}

/** A text quoted as one word for a shell. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
