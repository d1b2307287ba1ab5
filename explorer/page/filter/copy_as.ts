import type { Edition, Filter, Query, QueryItem } from "./filter.ts";
import { queryOf } from "./filter.ts";
import { escapedJson } from "../parts/visible_text.ts";

/*
 * What the page shows, in the words of others: a query, a command of a shell, a program.
 */

/** What the page knows of the store, from the explorer. */
export interface StoreFacts {
  readonly place: string;
  readonly isSocket: boolean;
  readonly hasToken: boolean;
  readonly edition: Edition;
}

export function queryText(filter: Filter, edition: Edition): string {
  return escapedJson(JSON.stringify(queryOf(filter, edition)));
}

/** A command that reads the newest events that match. */
export function curlText(filter: Filter, facts: StoreFacts): string {
  const request = { query: queryOf(filter, facts.edition), backwards: true, limit: 100 };
  const body = escapedJson(JSON.stringify(request));
  return curl(facts, ["-X QUERY"], "/events", ` -d ${quoted(body)}`);
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

/** A program with the client that reads the same. */
export function typeScriptText(filter: Filter, { place, isSocket, hasToken, edition }: StoreFacts): string {
  const query = queryOf(filter, edition);
  const options = [
    `${isSocket ? "socketPath" : "url"}: ${JSON.stringify(place)}`,
    ...edition === "A" ? [] : [`edition: "${edition}"`],
    ...hasToken ? ["token"] : [],
  ];
  return [
    'import { EventStore } from "eventstore-client";',
    "",
    `const store = new EventStore({ ${options.join(", ")} });`,
    `const query = ${literalOf(clientQueryOf(query))};`,
    "for await (const event of store.readAll(query)) console.log(event.sequence, event.type, event.payload);",
    "",
  ].join("\n");
}

/** A value in the words of TypeScript. There, `"__proto__": value` would not be a property. */
function literalOf(value: unknown): string {
  // Strings have no line feeds of their own: what begins a line is a key.
  return escapedJson(JSON.stringify(value, null, 2)).replace(/^( *)"__proto__":/gm, '$1["__proto__"]:');
}

/** The client has tags as objects. */
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

/** A word that no shell takes apart. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
