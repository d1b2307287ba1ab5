import assert from "node:assert/strict";
import { containsEmail } from "../../src/model/email.ts";

Deno.test("an e-mail address has a local part, an @ and a domain with a dot, anywhere in a text", () => {
  for (
    const text of [
      "ann@example.org",
      "ANN.LEE+shop@mail.example.co.uk",
      "mailto:ann@example.org?subject=x",
      "Ann Lee <ann@example.org>, Bo",
      '"ann lee"@example.org',
      "ann@b\u00fccher.example",
      "ann@bu\u0308cher.example",
      "\u5f20@\u4f8b\u5b50.\u4e2d\u56fd",
      "ann@xn--bcher-kva.xn--p1ai",
      "a@b@example.org",
      '{"to":"ann@example.org."}',
      `${"@".repeat(100)}\n${"x.".repeat(1000)} ann@example.org`,
    ]
  ) {
    assert.equal(containsEmail(text), true, text);
  }
});

Deno.test("other texts are no e-mail addresses, and neither is one without a dot in its domain", () => {
  for (
    const text of [
      "",
      "@",
      "s-7f3a",
      "ann@localhost",
      "ann@[192.0.2.1]",
      "@ann.lee",
      "ann @example.org",
      "ann@ example.org",
      "ann@example.",
      "ann@.org",
      "orders@1.4.2",
      "ann(at)example.org",
      "ann%40example.org",
      "https://example.org/ann",
    ]
  ) {
    assert.equal(containsEmail(text), false, text);
  }
});

Deno.test("a long text that almost has an e-mail address takes no long time, and no large stack", () => {
  for (const part of ["a@", "a.", "a@a.", "-", "@.a", `a@${"a.".repeat(200)}`]) {
    assert.equal(containsEmail(`a@${part.repeat(8_000_000 / part.length)}`), false, part);
  }
});
