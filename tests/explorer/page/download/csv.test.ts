import assert from "node:assert/strict";
import { CSV_HEAD, csvCell, csvLine } from "../../../../explorer/page/download/csv.ts";

const EVENT = {
  sequence: 7,
  time: "2026-01-01T00:00:00.000001Z",
  type: "OrderPlaced",
  identifiers: { order: "o1", seat: ["a", "b"] },
  metadata: {},
  payload: '{"total":1}',
};

Deno.test("an event is a line of CSV by RFC 4180", () => {
  assert.equal(CSV_HEAD, "sequence,time,type,identifiers,metadata,payload\r\n");
  assert.equal(
    csvLine(EVENT),
    '7,2026-01-01T00:00:00.000001Z,OrderPlaced,"{""order"":""o1"",""seat"":[""a"",""b""]}",{},"{""total"":1}"\r\n',
  );
});

Deno.test("a cell is quoted if it has to be", () => {
  assert.equal(csvCell("plain text; with 'signs'"), "plain text; with 'signs'");
  assert.equal(csvCell(""), "");
  assert.equal(csvCell("a,b"), '"a,b"');
  assert.equal(csvCell('say "hi"'), '"say ""hi"""');
  assert.equal(csvCell("two\nlines"), '"two\nlines"');
  assert.equal(csvCell("two\r\nlines"), '"two\r\nlines"');
  assert.equal(csvCell(" spaces "), '" spaces "');
});

Deno.test("a cell that a spreadsheet would execute is text", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20A"]) {
    assert.equal(csvCell(text), `'${text}`);
  }
  assert.equal(csvCell('=HYPERLINK("x")'), `"'=HYPERLINK(""x"")"`);
  for (const text of ["\t=1", "\r1", "\n=1", " =1"]) assert.equal(csvCell(text), `"'${text}"`);
  for (const text of ["1=1", "a-b", "a@b"]) assert.equal(csvCell(text), text);
});
