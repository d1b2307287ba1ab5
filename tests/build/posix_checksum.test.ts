import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { posixChecksum } from "../../tools/build/posix_checksum.ts";

async function cksum(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const child = new Deno.Command("cksum", { stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(bytes);
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout).trim();
}

Deno.test("the checksum is the one that cksum prints", async () => {
  for (const length of [0, 1, 2, 255, 256, 65535, 65536, 100_003]) {
    const bytes = new Uint8Array(randomBytes(length));
    assert.equal(posixChecksum(bytes), await cksum(bytes));
  }
  assert.equal(posixChecksum(new Uint8Array(70_000)), await cksum(new Uint8Array(70_000)));
});
