import assert from "node:assert/strict";
import {
  type Found,
  foundOn,
  isOlder,
  isOn,
  namedTimeline,
  timelineText,
  verdictOf,
} from "../../../../src/store/postgres/cluster/failover.ts";

const HERE = "7711/00000009/5/16384";
const BEFORE = `${HERE}/first`;
const AFTER = "7711/0000000A/5/16384";
const RESTORED = "9922/00000001/5/16384";

const CALM: Found = {
  recorded: BEFORE,
  now: HERE,
  seen: "present",
  awaited: 0,
  absent: 0,
  setting: "verify",
  isGraceOver: false,
};

Deno.test("on the recorded timeline the history is whole for every server, unless a transaction that was seen is missing", () => {
  assert.equal(verdictOf(CALM), "whole");
  assert.equal(verdictOf({ ...CALM, seen: undefined, awaited: 3 }), "whole");
  assert.equal(verdictOf({ ...CALM, seen: "forgotten" }), "whole");
  for (const setting of ["verify", "lossless"] as const) {
    assert.equal(verdictOf({ ...CALM, seen: "missing", setting }), "renew");
    assert.equal(verdictOf({ ...CALM, now: AFTER, seen: "missing", setting }), "renew");
  }
});

Deno.test("after a failover the history is whole once every server has found the transactions that it has seen", () => {
  const moved = { ...CALM, now: AFTER };
  assert.equal(verdictOf(moved), "whole");
  assert.equal(verdictOf({ ...moved, awaited: 1 }), "wait");
  assert.equal(verdictOf({ ...moved, awaited: 1, isGraceOver: true }), "renew");
  for (const seen of [undefined, "forgotten"] as const) {
    assert.equal(verdictOf({ ...moved, seen }), "wait", "a server that has seen nothing vouches for nothing");
    assert.equal(verdictOf({ ...moved, seen, isGraceOver: true }), "renew");
  }
});

Deno.test("when a transaction is missing, the server waits until the others have reported, too", () => {
  const lost = { ...CALM, now: AFTER, seen: "missing" as const, awaited: 1 };
  assert.equal(verdictOf({ ...lost, absent: 1 }), "wait");
  assert.equal(verdictOf({ ...lost, absent: 1, isGraceOver: true }), "renew");
  assert.equal(verdictOf(lost), "renew");
  assert.equal(foundOn(AFTER, "present"), AFTER);
  for (const presence of ["missing", "forgotten", undefined] as const) {
    const found = foundOn(AFTER, presence);
    assert.ok(found !== AFTER && isOn(found, AFTER), "here, and confirms nothing");
  }
});

Deno.test("with lossless failovers the server waits for no other, but a restored database is another history", () => {
  const lossless = { ...CALM, seen: undefined, awaited: 1, setting: "lossless" as const, isGraceOver: true };
  assert.equal(verdictOf({ ...lossless, now: AFTER }), "whole");
  assert.equal(verdictOf({ ...lossless, now: RESTORED }), "renew");
  assert.equal(verdictOf({ ...lossless, now: "7711/00000009/5/20000" }), "renew", "a dump was restored");
  assert.equal(verdictOf({ ...lossless, now: "7711/00000009/6/16384" }), "renew", "the database is a copy");
  assert.equal(
    verdictOf({ ...lossless, now: RESTORED, recorded: undefined }),
    "whole",
    "the operator says so",
  );
});

Deno.test("a timeline is older than a later one of the same cluster only", () => {
  const session = (timeline: string): string => timeline.split("/").slice(0, 3).join("/");
  assert.ok(isOlder(session(BEFORE), AFTER));
  assert.ok(!isOlder(session(AFTER), BEFORE));
  assert.ok(!isOlder(session(BEFORE), BEFORE));
  assert.ok(!isOlder(session(RESTORED), AFTER));
  assert.ok(!isOlder(session(BEFORE), ""), "a server that has no timeline yet takes any");
  assert.equal(timelineText(session(BEFORE), "16384"), HERE);
  assert.ok(isOn(namedTimeline(HERE), HERE));
  assert.ok(!isOn(namedTimeline(HERE), AFTER));
});
