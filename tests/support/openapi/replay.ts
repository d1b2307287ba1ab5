import assert from "node:assert/strict";
import { KEY, KEY_ID } from "../../../tools/openapi/examples/names.ts";
import type { Exchange } from "../../../tools/openapi/exchange.ts";
import type { Json, JsonObject } from "../../../tools/openapi/json.ts";
import type { Client } from "../client.ts";
import type { Reply } from "../connection.ts";
import { eventually } from "../eventually.ts";
import { TIMESTAMP, UUID } from "../replies.ts";

/** Values of the examples that are random, without being IDs of events or stores. */
const RANDOM: ReadonlyMap<string, RegExp> = new Map([
  [KEY_ID, /^[A-Za-z0-9_-]{16}$/],
  [KEY, /^[A-Za-z0-9+/]{43}=$/],
]);
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Sends the requests of examples, one after the other, and compares the answers with the examples. IDs and times
 * differ in each run: an ID of the examples stands for the same ID of the server in all of them.
 */
export class Replay {
  readonly #client: Client;
  /** The ID of the server for each ID of the examples. */
  readonly #ids = new Map<string, string>();

  constructor(client: Client) {
    this.#client = client;
  }

  async send(exchange: Exchange): Promise<void> {
    const { operation, path = {}, query, headers = {}, request } = exchange;
    const [method = "", template = ""] = operation.split(" ");
    const target = template.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => encodeURIComponent(path[name] ?? ""),
    );
    const search = query === undefined ? "" : `?${new URLSearchParams(query)}`;
    const ask = async (): Promise<void> => {
      const reply = await this.#client.request(method, this.#real(target) + search, {
        headers: this.#realJson(headers) as Record<string, string>,
        ...(request === undefined ? {} : { json: this.#realJson(request) }),
      });
      assert.equal(reply.status, exchange.status, reply.text);
      this.#compareHeaders(exchange, reply);
      this.#compareBody(exchange, reply);
    };
    // A request that has been answered may still be counted for a moment.
    await (target === "/debug" ? eventually(ask) : ask());
  }

  #real(text: string): string {
    return text.replaceAll(/[0-9a-f-]{36}/g, (id) => this.#ids.get(id) ?? id);
  }

  #realJson(value: Json): Json {
    return JSON.parse(this.#real(JSON.stringify(value))) as Json;
  }

  #compareHeaders({ answerHeaders = {}, json }: Exchange, { status, headers }: Reply): void {
    // The header of an error says no more than its body.
    const all = status < 400
      ? answerHeaders
      : { ...answerHeaders, "X-Service-Error": json!["error"] as string };
    const names = [...headers.keys()].filter((name) => name.startsWith("x-service-"));
    const expected = Object.keys(all).map((name) => name.toLowerCase());
    assert.deepEqual(names.sort(), expected.sort(), "headers");
    for (const [name, value] of Object.entries(all)) {
      this.#compare(value, headers.get(name.toLowerCase())!, name);
    }
  }

  #compareBody({ operation, json, lines, text }: Exchange, reply: Reply): void {
    if (operation === "GET /openapi.json") return this.#compareSome(json!, reply.json(), "body");
    if (json !== undefined) return this.#compare(json, reply.json(), "body");
    if (lines !== undefined) {
      const sent = reply.text.trimEnd().split("\n").map((line) => JSON.parse(line) as Json);
      return this.#compare(lines, sent, "lines");
    }
    if (operation !== "GET /metrics") return assert.equal(reply.text, text ?? "");
    // The example shows some of the lines.
    for (const line of (text ?? "").split("\n")) assert.ok(reply.text.split("\n").includes(line), line);
  }

  /** Compares the keys that the example has. */
  #compareSome(example: JsonObject, real: JsonObject, place: string): void {
    for (const [key, member] of Object.entries(example)) {
      if (typeof member === "object") {
        this.#compareSome(member as JsonObject, real[key] as JsonObject, `${place}.${key}`);
      } else this.#compare(member, real[key]!, `${place}.${key}`);
    }
  }

  #compare(example: Json, real: Json, place: string): void {
    if (typeof example === "object" && example !== null && typeof real === "object" && real !== null) {
      assert.deepEqual(Object.keys(real).sort(), Object.keys(example).sort(), `keys of ${place}`);
      for (const [key, member] of Object.entries(example)) {
        this.#compare(member as Json, (real as JsonObject)[key]!, `${place}.${key}`);
      }
    } else if (typeof example === "string" && UUID.test(example)) {
      assert.match(String(real), UUID, place);
      if (!this.#ids.has(example)) this.#ids.set(example, String(real));
      assert.equal(real, this.#ids.get(example), place);
    } else if (typeof example === "string" && TIMESTAMP.test(example)) {
      assert.match(String(real), TIMESTAMP, place);
    } else if (typeof example === "string" && RANDOM.has(example)) {
      assert.match(String(real), RANDOM.get(example)!, place);
    } else if (typeof example === "string" && DIGEST.test(example)) {
      // It depends on the times of the events.
      assert.match(String(real), DIGEST, place);
    } else assert.equal(real, example, place);
  }
}
