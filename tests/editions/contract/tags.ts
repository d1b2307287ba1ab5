import assert from "node:assert/strict";
import { type ContractTest, eventOf, mustBe } from "./edition.ts";

/** Tests of the form in which tags and payloads are read back. */
export function contractOfTags(test: ContractTest): void {
  test("one value reads back as a string, several as an array in the order sent, tags left out as {}", async (subject) => {
    await subject.append(
      { type: "t", identifiers: { a: "1", b: ["2"], c: ["z", "x", "y"] }, payload: "" },
      { type: "t", payload: 'a\u0000b\u2028\u{1f600}"\\\n\u0007</script>' },
    );
    const [tagged, plain] = (await subject.page()).events;
    assert.deepEqual(tagged?.identifiers, { a: "1", b: "2", c: ["z", "x", "y"] });
    assert.deepEqual([plain?.identifiers, plain?.metadata], [{}, {}]);
    assert.equal(plain?.payload, 'a\u0000b\u2028\u{1f600}"\\\n\u0007</script>');
  });

  test("names read back in byte order", async (subject) => {
    // In UTF-16 order the astral name (U+10000) would come before U+FFFD.
    const names = ["b", "\u{10000}", "a", "\ufffd", "", "B", "10", "9"];
    await subject.append(eventOf("t", "", Object.fromEntries(names.map((name) => [name, "v"]))));
    const line = (await subject.page()).reply.text.split("\n")[0] ?? "";
    const inOrder = ["", "10", "9", "B", "a", "b", "\ufffd", "\u{10000}"];
    const tagText = `{${inOrder.map((name) => `${JSON.stringify(name)}:"v"`).join(",")}}`;
    assert.ok(line.includes(`"identifiers":${tagText}`), line);
  });

  test("types, names and values may hold NUL, names and values may be empty and be called __proto__", async (subject) => {
    const body =
      '{"events":[{"type":"t\\u0000y","identifiers":{"__proto__":"p","":"","n\\u0000":["\\u0000","\\u0000x"]},' +
      '"metadata":{"__proto__":["1","2"],"constructor":"c"},"payload":"\\u0000"}]}';
    mustBe(200, await subject.edition.sendEvents(subject.client, body));
    const [read] = (await subject.page()).events;
    assert.deepEqual([read?.type, read?.payload], ["t\0y", "\0"]);
    const { identifiers, metadata } = read!;
    assert.deepEqual(Object.entries(identifiers), [["", ""], ["__proto__", "p"], ["n\0", ["\0", "\0x"]]]);
    assert.deepEqual(Object.entries(metadata), [["__proto__", ["1", "2"]], ["constructor", "c"]]);
    const counted = async (query: unknown): Promise<number> => (await subject.payloads([query])).length;
    for (const [name, value] of [["__proto__", "p"], ["", ""], ["n\0", "\0x"]]) {
      assert.equal(await counted({ identifiers: [{ name, value }] }), 1, name);
    }
    assert.equal(await counted({ types: ["t\0y"] }), 1);
    for (const item of [{ types: ["t"] }, { identifiers: [{ name: "n", value: "" }] }]) {
      assert.equal(await counted(item), 0);
    }
  });
}
