import assert from "node:assert/strict";
import { printConfigText } from "../../src/config/print.ts";
import { tokenDigest } from "../../src/config/tokens.ts";
import { RIGHTS } from "../../src/model/access.ts";
import { loadServerText, serverProblemsOf } from "./load_text.ts";

const SHA = tokenDigest("secret");
const HEAD = "[server]\nenableAuth = true\n";

function tokenOf(lines: string): string {
  return `${HEAD}[[tokens]]\n${lines}`;
}

Deno.test("tokens have a name, a digest, rights and perhaps an end; authToken is one more with all rights", () => {
  const text = tokenOf(`name = "a"\nsha256 = "${SHA.toUpperCase()}"\nmay = ["write", "read", "write"]
[[tokens]]\nname = "a"\nsha256 = "${
    tokenDigest("2")
  }"\nmay = ["operate"]\nexpires = 2027-01-31T01:00:00+01:00\n`);
  const { settings } = loadServerText(text, { SERVICE_AUTH_TOKEN: "all" });
  assert.deepEqual(settings.tokens, [
    { name: "a", sha256: SHA, may: ["write", "read"], within: undefined, expires: undefined },
    {
      name: "a",
      sha256: tokenDigest("2"),
      may: ["operate"],
      within: undefined,
      expires: Date.UTC(2027, 0, 31),
    },
    { name: undefined, sha256: tokenDigest("all"), may: RIGHTS, within: undefined, expires: undefined },
  ]);
  assert.equal(loadServerText("").settings.tokens, undefined);
});

Deno.test("each fault of a token is reported with its place, and its digest is never shown", () => {
  const valid = { name: 'name = "a"\n', sha256: `sha256 = "${SHA}"\n`, may: 'may = ["read"]\n' };
  const faults: readonly (readonly [Partial<Record<keyof typeof valid | "more", string>>, RegExp])[] = [
    [{ name: "" }, /^config\.toml:4:1: tokens\[0\]\.name must be letters, .* or a digit$/],
    [{ name: 'name = "a b"\n' }, /^config\.toml:4:1: tokens\[0\]\.name must be .*, not "a b"$/],
    [{ name: 'name = ""\n' }, /:4:1: tokens\[0\]\.name must be .*, not an empty string$/],
    [
      { sha256: "" },
      /^config\.toml:4:1: tokens\[0\]\.sha256 must be the SHA-256 of a token in 64 hexadecimal digits$/,
    ],
    [
      { sha256: 'sha256 = "secret"\n' },
      /:5:1: tokens\[0\]\.sha256 must be [^s]* SHA-256 of a token .* digits$/,
    ],
    [{ sha256: `sha256 = "${tokenDigest("")}"\n` }, /:5:1: tokens\[0\]\.sha256 must be/],
    [
      { may: "" },
      /:4:1: tokens\[0\]\.may must be a list of some of "read", "write", "copy", "keys", "forget", "operate", "develop"$/,
    ],
    [{ may: "may = []\n" }, /:6:1: tokens\[0\]\.may must be a list of some of/],
    [{ may: 'may = "read"\n' }, /:6:1: tokens\[0\]\.may must be a list/],
    [{ may: 'may = ["read", "fly"]\n' }, /:6:1: tokens\[0\]\.may .*, not "fly"$/],
    [{ more: "expires = 2027-01-31\n" }, /:7:1: tokens\[0\]\.expires must be a time with its offset/],
    [{ more: "expires = 2027-01-31T00:00:00\n" }, /:7:1: tokens\[0\]\.expires must be/],
    [{ more: 'expires = "2027-01-31T00:00:00Z"\n' }, /:7:1: tokens\[0\]\.expires must be/],
    [{ more: "nam = 1\n" }, /:7:1: unknown key "nam" in tokens\[0\], did you mean "name"\?$/],
    ...["3", '"t1"', "{}", "{ tenant = 1 }", '{ tenant = "" }', '{ "" = "t1" }', '{ a = "1", b.c = "2" }']
      .map((value) =>
        [
          { more: `within = ${value}\n` },
          /:7:1: tokens\[0\]\.within must be identifiers .*, as in \{ tenant = "t1" \}/,
        ] as const
      ),
    [
      { may: 'may = ["read", "operate"]\n', more: 'within = { tenant = "t1" }\n' },
      /:6:1: tokens\[0\]\.may must be a list of some of "read", "write" when there is within, not "operate"$/,
    ],
    [
      { more: `[[tokens]]\nname = "a"\nsha256 = "${tokenDigest("2")}"\n${valid.may}within = { t = "1" }\n` },
      /^two tokens have the name "a", so within must be the same for both$/,
    ],
    [
      { more: `[[tokens]]\n${valid.name}${valid.sha256}${valid.may}` },
      /the token "a" and the token "a" have the same sha256$/,
    ],
  ];
  for (const [change, expected] of faults) {
    const { name, sha256, may, more = "" } = { ...valid, ...change };
    const problems = serverProblemsOf(tokenOf(name + sha256 + may + more));
    assert.equal(problems.length, 1, problems.join("\n"));
    assert.match(problems[0]!, expected);
    assert.ok(!problems[0]!.includes("secret") && !problems[0]!.includes(SHA));
  }
  const wrong = serverProblemsOf("tokens = 3\n[server]\nenableAuth = true\nauthToken = 't'\n");
  assert.deepEqual(wrong, ["config.toml:1:1: tokens must be tables, each under [[tokens]], not 3"]);
  const same = serverProblemsOf(`${HEAD}authToken = "secret"\n[[tokens]]\n${Object.values(valid).join("")}`);
  assert.deepEqual(same, ['authToken and the token "a" have the same sha256']);
});

Deno.test("tokens without enableAuth, and a file of tokens with a fault, are rejected", () => {
  const token = `[[tokens]]\nname = "a"\nsha256 = "${SHA}"\nmay = ["read"]\n`;
  assert.deepEqual(serverProblemsOf(token), ["enableAuth: there are [[tokens]], but enableAuth is off"]);
  const directory = Deno.makeTempDirSync();
  try {
    const path = `${directory}/tokens.toml`;
    const problems = (): string[] =>
      serverProblemsOf(`${HEAD}tokensFile = "${path}"\n`).map((line) => line.replaceAll(path, "PATH"));
    const lacking =
      "enableAuth is on, but authToken is not set: set it or SERVICE_AUTH_TOKEN, or add [[tokens]]";
    assert.deepEqual(problems(), [
      "tokensFile PATH: cannot be read: there is no such file",
      `config.toml:2:1: ${lacking}`,
    ]);
    Deno.writeTextFileSync(path, `${token}\n[server]\nport = 1\n`);
    assert.deepEqual(problems(), ['PATH:6:2: "server" is none of the [[tokens]] of this file']);
    Deno.writeTextFileSync(path, token);
    const { settings } = loadServerText(`${HEAD}tokensFile = "${path}"\n`);
    assert.deepEqual(settings.tokens!.map(({ name }) => name), ["a"]);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("the printed configuration has the tokens of the file", () => {
  const more = `within = { tenant = "t1", "a b" = 'c"d' }\nexpires = 2027-01-31T00:00:00Z\n`;
  const text = tokenOf(`name = "a"\nsha256 = "${SHA}"\nmay = ["read"]\n${more}`);
  const loaded = loadServerText(text);
  assert.deepEqual(loadServerText(printConfigText(loaded)).settings.tokens, loaded.settings.tokens);
});
