import assert from "node:assert/strict";
import {
  curlText,
  projectionCurlText,
  queryText,
  quoted,
  type StoreFacts,
  typeScriptText,
} from "../../../../explorer/page/filter/copy_as.ts";
import { type Filter } from "../../../../explorer/page/filter/filter.ts";
import { START } from "../../../../explorer/page/frame/route.ts";
import { EventStore } from "../../../../client/mod.ts";
import { placeOf, startTestServer } from "../../../client/support.ts";
import { startServer } from "../../../support/server_process.ts";

const FILTER: Filter = {
  ...START.filter,
  types: ["It's", "B"],
  tags: [
    { kind: "identifiers", name: "course", value: "c'1" },
    { kind: "identifiers", name: "course", value: "c2" },
    { kind: "metadata", name: "by", value: '$(touch x) "quoted"' },
  ],
};
const EVENT = {
  type: "It's",
  identifiers: { course: ["c'1", "c2"] },
  metadata: { by: '$(touch x) "quoted"' },
  payload: "found",
};

Deno.test("words survive a shell", async () => {
  for (const word of ["plain", "", "it's", '$HOME `id` \\ "', "a\nb", "*"]) {
    const { stdout } = await new Deno.Command("sh", { args: ["-c", `printf %s ${quoted(word)}`] }).output();
    assert.equal(new TextDecoder().decode(stdout), word);
  }
});

for (const listen of ["tcp", "unix"] as const) {
  Deno.test(`the command for curl over ${listen} finds what the page shows`, async () => {
    const env = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: "the-token-of-this-test" };
    await using server = await startServer({ listen, listenOnly: true, env });
    const client = server.client({ authorization: "Bearer the-token-of-this-test" });
    await client.request("POST", "/write", { json: { events: [EVENT, { type: "B", payload: "not this" }] } });
    const place = placeOf(server.address);
    const facts: StoreFacts = {
      place: place.socketPath ?? place.url!,
      isSocket: listen === "unix",
      hasToken: true,
      edition: "A",
    };
    const command = `TOKEN=the-token-of-this-test; ${curlText(FILTER, facts)} -sS`;
    const { stdout, stderr } = await new Deno.Command("bash", { args: ["-c", command] }).output();
    const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
    assert.equal(lines.length, 2, new TextDecoder().decode(stderr) + lines);
    assert.equal(JSON.parse(lines[0]!).payload, "found");
    assert.match(projectionCurlText("a/b", "c d", facts), /\/projections\/a%2Fb\/c%20d$/);
  });
}

Deno.test("the program finds what the page shows", async () => {
  await using server = await startTestServer();
  const { url } = placeOf(server.address);
  await new EventStore({ url: url!, payload: "text" }).append([EVENT, { type: "B", payload: "not this" }]);
  const text = typeScriptText(FILTER, { place: url!, isSocket: false, hasToken: false, edition: "A" });
  const client = new URL("../../../../client/mod.ts", import.meta.url).href;
  const program = text.replace('"eventstore-client"', JSON.stringify(client)).replace(
    "url:",
    'payload: "text", url:',
  );
  const path = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(path, program);
    const args = ["run", "--quiet", "--no-lock", "--allow-net", path];
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } })
      .output();
    assert.equal(new TextDecoder().decode(stdout), "1 It's found\n", new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("without a filter the query is everything, in the word of the edition", () => {
  assert.deepEqual((["A", "B", "C"] as const).map((edition) => queryText(START.filter, edition)), [
    '"*"',
    '"all"',
    '"*"',
  ]);
});

/** What a terminal or an editor would act on: delete, C1 controls, and turned direction. */
const ACTING = "\u007f\u009b\u202e\u2066\u2028\u200b";

Deno.test("what is copied holds no character that acts on who pastes it, and means the same", () => {
  const tag = { kind: "identifiers", name: "n", value: `${ACTING}'; touch x #` } as const;
  const filter: Filter = { ...START.filter, types: [ACTING], tags: [tag] };
  const facts: StoreFacts = { place: "http://127.0.0.1:1", isSocket: false, hasToken: false, edition: "A" };
  const query = queryText(filter, "A");
  for (const text of [query, curlText(filter, facts), typeScriptText(filter, facts)]) {
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
  const text = typeScriptText({ ...START.filter, tags }, {
    place: "http://127.0.0.1:1",
    isSocket: false,
    hasToken: false,
    edition: "A",
  });
  const literal = /^const query = (.*?);$/ms.exec(text)![1]!;
  const [{ identifiers }] = new Function(`return ${literal}`)();
  assert.deepEqual(Object.entries(identifiers), names.map((name) => [name, '"__proto__": 1']));
});
