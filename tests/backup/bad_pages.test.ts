import assert from "node:assert/strict";
import {
  type FakeAnswer,
  FakeSource,
  lines,
  OTHER_STORE,
  page,
  rejection,
  rightPage,
  STORE,
} from "./fake_source.ts";
import { assertFailed, BackupDirectories, runJson } from "./run_backup.ts";
import { storedLines } from "./stored_lines.ts";

const HEAD = 10;
const PAGE = 3;
const limit = { SERVICE_BACKUP_PAGE_LIMIT: String(PAGE) };

/** A source that is right except for its third page, until it is repaired. */
class WrongThirdPage extends FakeSource {
  isMended = false;

  constructor(answer: () => FakeAnswer | string) {
    super((request) =>
      request.afterSequence === 2 * PAGE && !this.isMended ? answer() : rightPage(request, HEAD)
    );
  }
}

/** Repairs the source, and asserts that the next run copies the rest. */
async function assertNextRunCompletes(source: WrongThirdPage, place: BackupDirectories): Promise<void> {
  source.isMended = true;
  assert.equal((await runJson(place, limit)).ok, true);
  assert.deepEqual(storedLines(place.file(STORE)), lines(1, HEAD));
}

/** The events 7, 8 and 9. */
const third = lines(2 * PAGE + 1, 3 * PAGE);
const trailer = '{"hasMore":true}\n';
const changed = (change: (line: string) => string): string =>
  third.map((line, i) => i === 1 ? change(line) : line).join("") + trailer;

const WRONG_PAGES: readonly (readonly [name: string, answer: FakeAnswer | string, error: RegExp])[] = [
  ["without its trailer", page(STORE, third.join("")), /no trailer/],
  ["that ends in the middle of a line", page(STORE, third.join("").slice(0, -10)), /middle of a line/],
  [
    "of another store",
    page(OTHER_STORE, third.join("") + trailer),
    new RegExp(`reset.*${STORE}.*${OTHER_STORE}`),
  ],
  [
    "without a store ID",
    page(STORE, third.join("") + trailer).replace(/X-Service.*\r\n/, ""),
    /X-Service-Store/,
  ],
  ["with a gap", page(STORE, changed(() => "")), /expected sequence 8, but got 9/],
  [
    "with a line twice",
    page(STORE, third.slice(0, -1).join("") + third.at(-2) + trailer),
    /expected sequence 9, but got 8/,
  ],
  [
    "with the events before",
    page(STORE, lines(4, 6).join("") + trailer),
    /expected sequence 7, but got 4/,
  ],
  ["with a bad time", page(STORE, changed((line) => line.replace("Z", "+"))), /event 8 is invalid: time/],
  [
    "with a 30th of February",
    page(STORE, changed((line) => line.replace(/-11-14T/, "-02-30T"))),
    /event 8.*time/,
  ],
  ["with an unknown key", page(STORE, changed((line) => line.replace("}\n", ',"x":1}\n'))), /event 8.*"x"/],
  [
    "without a payload",
    page(STORE, changed((line) => line.replace(/,"payload.*"/, ""))),
    /event 8.*payload/,
  ],
  [
    "with a space too many",
    page(STORE, changed((line) => line.replace('":"t"', '": "t"'))),
    /event 8.*not in the form/,
  ],
  ["with half an event", page(STORE, changed((line) => `${line.slice(0, 40)}\n`)), /event 8.*JSON/],
  [
    "with a line after the trailer",
    page(STORE, third[0] + trailer + third[1]),
    /event 8.*hasMore/,
  ],
  ["with too many events", page(STORE, lines(7, 10).join("") + trailer), /more than the 3 events/],
  ["that is empty, but says that there is more", page(STORE, trailer), /no events/],
  ["with bytes that are no UTF-8", badUtf8(), /event 8.*UTF-8/],
  ["that is a 401", rejection(401, { error: "Unauthorized" }), /401 Unauthorized.*sourceToken/],
  [
    "that is a 503",
    rejection(503, { error: "Unavailable", message: "no\nreader" }),
    /503 Unavailable \(no reader\)/,
  ],
  ["that is a redirect", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", /returned 302/],
  ["that is not HTTP", { bytes: "SSH-2.0-OpenSSH_9.2\r\n", then: "close" }, /does not speak HTTP/],
  ["that has no head", { bytes: "", then: "close" }, /without a response/],
  ["that is half a head", { bytes: "HTTP/1.1 200 OK\r\nX-", then: "close" }, /ended in the middle/],
  ["with a broken chunk", page(STORE, "").replace("\r\n\r\n", "\r\n\r\nzz\r\n"), /does not speak HTTP: "zz"/],
];

function badUtf8(): FakeAnswer {
  const bytes = new TextEncoder().encode(
    page(STORE, changed((line) => line.replace("payload 8", "payload !!"))),
  );
  const at = new TextDecoder("latin1").decode(bytes).indexOf("!!");
  bytes.set([0xc3, 0x28], at);
  return { bytes };
}

Deno.test("each fault of a page is named, nothing of the page is stored, and the next run continues", async () => {
  let wrong: FakeAnswer | string = "";
  await using source = new WrongThirdPage(() => wrong);
  using place = new BackupDirectories(source.address);
  for (const [name, answer, error] of WRONG_PAGES) {
    wrong = answer;
    const ended = await place.run({ env: limit });
    assert.match(ended.stderr, error, `a page ${name}`);
    assertFailed(ended, 1, error);
    assert.deepEqual(storedLines(place.file(STORE)), lines(1, 2 * PAGE), `a page ${name}`);
  }
  await assertNextRunCompletes(source, place);
});

Deno.test("a connection cut at every tenth byte of a page leaves the pages before it, and says so", async () => {
  const whole = new TextEncoder().encode(page(STORE, third.join("") + trailer));
  let length = 0;
  await using source = new WrongThirdPage(() => ({ bytes: whole.subarray(0, length), then: "close" }));
  using place = new BackupDirectories(source.address);
  for (; length < whole.length; length += 10) {
    const { ok, lastSequence, error } = await runJson(place, limit);
    assert.deepEqual([ok, lastSequence], [false, 2 * PAGE], `cut at ${length}: ${error}`);
    assert.deepEqual(storedLines(place.file(STORE)), lines(1, 2 * PAGE));
  }
  await assertNextRunCompletes(source, place);
});

Deno.test("a page that says when it ends by closing the connection is complete with its trailer only", async () => {
  const head = `HTTP/1.1 200 OK\r\nX-Service-Store: ${STORE}\r\n\r\n`;
  const end = '{"hasMore":false}\n';
  let text = third.join("");
  await using source = new WrongThirdPage(() => ({ bytes: head + text, then: "close" }));
  using place = new BackupDirectories(source.address);
  assertFailed(await place.run({ env: limit }), 1, /no trailer/);
  text += end;
  assert.deepEqual((await runJson(place, limit)).lastSequence, 3 * PAGE);
});
