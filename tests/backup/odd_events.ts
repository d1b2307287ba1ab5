/** Events as clients may send them, with everything that could change on its way into a backup. */
export const oddEvents: readonly unknown[] = [
  { type: "plain", identifiers: { order: "o-1" }, metadata: { user: "u" }, payload: "{}" },
  { type: "empty", payload: "" },
  { type: "several", identifiers: { a: ["1", "2"], b: "3" }, metadata: { "": "" }, payload: "x" },
  { type: 'quotes " and \\', identifiers: { '"': "\\", "\\": '"' }, payload: '{"a":"\\""}' },
  { type: "line\nfeed", identifiers: { "a\nb": "\r\n", "\t": "\u2028" }, payload: "one\ntwo\r\nthree\u2029" },
  { type: "nul\0", identifiers: { "\0": "\0\0" }, metadata: { m: "\u0001" }, payload: "before\0after" },
  {
    type: "emoji \u{1F600}",
    identifiers: { "\u{1F600}": "\u{10FFFF}", "\uFFFF": "\uE000" },
    payload: "\u00E9\u4E2D",
  },
  { type: "__proto__", identifiers: { ["__proto__"]: "constructor", constructor: "x" }, payload: "null" },
  { type: '{"hasMore":true}', payload: '{"hasMore":false}\n' },
  { type: "large", payload: "\u0007".repeat(60_000) },
  { type: "many tags", identifiers: manyTags(), metadata: manyTags(), payload: "" },
];

function manyTags(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`name ${20 - i}`, `value ${i}`]));
}
