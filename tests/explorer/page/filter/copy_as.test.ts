import assert from "node:assert/strict";
import {
  curlText,
  projectionCurlText,
  queryText,
  quoted,
  type StoreFacts,
  typeScriptText,
} from "../../../../explorer/page/filter/copy_as.ts";
import { type Filter, NO_FILTER } from "../../../../explorer/page/filter/filter.ts";
import type { Edition } from "../../../../explorer/page/filter/query.ts";
import { EventStore } from "../../../../client/mod.ts";
import { placeOf, sharedTestServer } from "../../../client/support.ts";
import { runCommand, runDeno } from "../../../support/run_command.ts";

const TOKEN = "the-token-of-this-test";
const WITH_TOKEN = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN };
const servers = { tcp: sharedTestServer("tcp", WITH_TOKEN), unix: sharedTestServer("unix", WITH_TOKEN) };
const open = sharedTestServer();

const FILTER: Filter = {
  ...NO_FILTER,
  alternatives: [{
    types: ["It's", "B"],
    tags: [
      { kind: "identifiers", name: "course", value: "c'1" },
      { kind: "identifiers", name: "course", value: "c2" },
      { kind: "metadata", name: "by", value: '$(touch x) "quoted"' },
    ],
  }, { types: ["Another"], tags: [] }],
};
const ANY_TIME = { after: 0, before: Infinity };
const EVENT = {
  type: "It's",
  identifiers: { course: ["c'1", "c2"] },
  metadata: { by: '$(touch x) "quoted"' },
  payload: "found",
};

const ANOTHER = { type: "Another", payload: "found too" };

Deno.test("words survive a shell", async () => {
  for (const word of ["plain", "", "it's", '$HOME `id` \\ "', "a\nb", "*"]) {
    assert.equal((await runCommand(["sh", "-c", `printf %s ${quoted(word)}`])).stdout, word);
  }
});

for (const listen of ["tcp", "unix"] as const) {
  Deno.test(`the command for curl over ${listen} finds what the page shows`, async () => {
    const server = servers[listen];
    const client = server.client({ authorization: `Bearer ${TOKEN}` });
    await client.request("POST", "/write", {
      json: { events: [EVENT, { type: "B", payload: "not this" }, ANOTHER] },
    });
    const place = placeOf(server.address);
    const facts: StoreFacts = {
      place: place.socketPath ?? place.url!,
      isSocket: listen === "unix",
      hasToken: true,
      edition: "A",
    };
    const command = `TOKEN=${TOKEN}; ${curlText(FILTER, ANY_TIME, facts)} -sS`;
    const { stdout, stderr } = await runCommand(["bash", "-c", command]);
    const lines = stdout.trimEnd().split("\n");
    const payloads = lines.slice(0, -1).map((line) => JSON.parse(line).payload);
    assert.deepEqual(payloads, ["found too", "found"], stderr);
    assert.match(projectionCurlText("a/b", "c d", facts), /\/projections\/a%2Fb\/c%20d$/);
  });
}

Deno.test("the program finds what the page shows", async () => {
  const { url } = placeOf(open.address);
  await new EventStore({ url: url!, payload: "text" }).append([
    EVENT,
    { type: "B", payload: "not this" },
    ANOTHER,
  ]);
  const text = typeScriptText(FILTER, ANY_TIME, {
    place: url!,
    isSocket: false,
    hasToken: false,
    edition: "A",
  });
  const client = new URL("../../../../client/mod.ts", import.meta.url).href;
  const program = text.replace('"eventstore-client"', JSON.stringify(client)).replace(
    "url:",
    'payload: "text", url:',
  );
  const path = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(path, program);
    const args = ["run", "--quiet", "--no-lock", "--allow-net", path];
    const { stdout, stderr } = await runDeno(args);
    assert.equal(stdout, "1 It's found\n3 Another found too\n", stderr);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("without a filter the query is everything, in the word of the edition", () => {
  assert.deepEqual((["A", "B", "C"] as const).map((edition) => queryText(NO_FILTER, edition)), [
    '"*"',
    '"all"',
    '"*"',
  ]);
});

/** Characters with effects in a terminal or an editor: delete, C1 controls, and changes of direction. */
const ACTING = "\u007f\u009b\u202e\u2066\u2028\u200b";

Deno.test("what is copied holds no character that acts on who pastes it, and means the same", () => {
  const tag = { kind: "identifiers", name: "n", value: `${ACTING}'; touch x #` } as const;
  const filter: Filter = { ...NO_FILTER, alternatives: [{ types: [ACTING], tags: [tag] }] };
  const facts: StoreFacts = { place: "http://127.0.0.1:1", isSocket: false, hasToken: false, edition: "A" };
  const query = queryText(filter, "A");
  for (const text of [query, curlText(filter, ANY_TIME, facts), typeScriptText(filter, ANY_TIME, facts)]) {
    for (const character of ACTING) assert.ok(!text.includes(character), text);
  }
  assert.deepEqual(JSON.parse(query), [{
    types: [ACTING],
    identifiers: [{ name: "n", value: tag.value }],
  }]);
});

Deno.test("a program has tags of any name", () => {
  const names = ["__proto__", 'x"__proto__', "constructor", '\n  "__proto__', "\\"];
  const tags = names.map((name) => ({ kind: "identifiers", name, value: '"__proto__": 1' } as const));
  const text = typeScriptText({ ...NO_FILTER, alternatives: [{ types: [], tags }] }, ANY_TIME, {
    place: "http://127.0.0.1:1",
    isSocket: false,
    hasToken: false,
    edition: "A",
  });
  const literal = /^const query = (.*?);$/ms.exec(text)![1]!;
  const [{ identifiers }] = new Function(`return ${literal}`)();
  assert.deepEqual(Object.entries(identifiers), names.map((name) => [name, '"__proto__": 1']));
});

Deno.test("what is copied carries the time: edition C reads by it, for the others it is sequences", () => {
  const filter: Filter = { ...NO_FILTER, from: 1000, before: 2000 };
  const factsOf = (edition: Edition): StoreFacts => ({
    place: "http://127.0.0.1:1",
    isSocket: false,
    hasToken: false,
    edition,
  });
  const bounds = { after: 3, before: 9 };
  const bodyOf = (edition: Edition, between = bounds) =>
    JSON.parse(/-d '(.*)'$/.exec(curlText(filter, between, factsOf(edition)))![1]!);
  const rest = { backwards: true, limit: 100 };
  assert.deepEqual(bodyOf("A"), { query: "*", afterSequence: 3, beforeSequence: 9, ...rest });
  assert.deepEqual(bodyOf("B"), { query: "all", afterSequence: 3, beforeSequence: 9, ...rest });
  assert.deepEqual(bodyOf("A", ANY_TIME), { query: "*", ...rest });
  assert.deepEqual(bodyOf("C"), {
    query: "*",
    time: { from: "1970-01-01T00:00:01.000Z", before: "1970-01-01T00:00:02.000Z" },
    ...rest,
  });
  assert.match(typeScriptText(filter, bounds, factsOf("A")), /readAll\(query, \{ after: 3, before: 9 \}\)/);
});
