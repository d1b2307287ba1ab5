import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
const page = Deno.readTextFileSync(new URL("docs/operations.md", ROOT));

/** The sources of the messages with which a server ends. */
const SOURCES = [
  "main.ts",
  "cli/run_program.ts",
  "src/server/start_server.ts",
  "src/http/transport/unix_socket.ts",
  "src/store/sqlite/data_directory/data_directory.ts",
  "src/store/sqlite/data_directory/database_file.ts",
  "src/store/sqlite/data_directory/create_database.ts",
  "src/store/sqlite/data_directory/moved_mark.ts",
  "src/store/sqlite/sqlite_store.ts",
];

/** Matches a message that is thrown as an operator's error, or printed: a whole literal with its values. */
const MESSAGE =
  /\b(?:new (?:StoreFileError|ListenError)|errors\.line|printError)\(\s*(?:(?:serverProgram|program), )?(["`])((?:\$\{[^{}]*\}|(?!\1)[^$])*)\1/g;

function messagesOfSources(): Set<string> {
  const found = SOURCES.flatMap((path) => {
    const text = Deno.readTextFileSync(new URL(path, ROOT));
    return [...text.matchAll(MESSAGE)].map(([, , message]) => message!.replace(/\$\{[^{}]*\}/g, "..."));
  });
  return new Set(found);
}

Deno.test("operations.md explains every message of the server, and no other", () => {
  const [, section = ""] = page.split("## Messages of the server\n");
  // A heading for one message, a list for several with one cause.
  const entries = section.split("\n## ")[0]!.matchAll(/^(?:### |- )`(.+?)`(?:$|: )/gm);
  const explained = [...entries].map(([, message]) => message!);
  const said = messagesOfSources();
  assert.ok(said.size > 15, "the messages are found in the sources");
  assert.deepEqual(explained.toSorted(), [...said].toSorted());
});

const OPERATORS_PAGES = [
  ...["operations.md", "monitoring.md", "metrics.md", "reverse_proxy.md", "security.md", "following.md"],
  ...["backup.md", "restore.md", "import.md", "sql.md", "install.md", "several_stores.md", "proxy_rules.md"],
];

Deno.test("the operators' pages link to existing pages", () => {
  for (const name of OPERATORS_PAGES) {
    const text = Deno.readTextFileSync(new URL(`docs/${name}`, ROOT));
    for (const [, target] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      assert.ok(Deno.statSync(new URL(target!, new URL(`docs/${name}`, ROOT))).isFile, `${name}: ${target}`);
    }
  }
});

Deno.test("monitoring.md lists every alert under its severity, and no other", () => {
  const text = Deno.readTextFileSync(new URL("docs/monitoring.md", ROOT));
  const [, ...rules] = Deno.readTextFileSync(new URL("deploy/monitoring/alerts.yml", ROOT)).split(
    "- alert: ",
  );
  const listed = ["Critical", "Warning"].flatMap((severity) => {
    const [, list = ""] = text.split(`\n${severity}:\n\n`);
    return [...list.split("\n\n")[0]!.matchAll(/^- `(\w+)`$/gm)].map(([, name]) =>
      `${name} ${severity.toLowerCase()}`
    );
  });
  const defined = rules.map((rule) => `${/^\w+/.exec(rule)} ${/severity: (\w+)/.exec(rule)?.[1]}`);
  assert.deepEqual(listed.toSorted(), defined.toSorted());
});

Deno.test("the runbook of every alert is a section of operations.md, which names the alert", () => {
  const sections = new Map(
    page.split(/^(?=##+ )/m).map((section) => {
      const [heading = ""] = section.split("\n");
      const anchor = heading.replace(/^#+ /, "").toLowerCase().replace(/[^a-z0-9 -]/g, "").replaceAll(
        " ",
        "-",
      );
      return [anchor, section];
    }),
  );
  const rules = Deno.readTextFileSync(new URL("deploy/monitoring/alerts.yml", ROOT)).split("- alert: ").slice(
    1,
  );
  assert.ok(rules.length > 15);
  for (const rule of rules) {
    const [name = ""] = rule.split("\n");
    const anchor = /runbook_url: docs\/operations\.md#(\S+)$/m.exec(rule)?.[1];
    assert.match(sections.get(anchor!) ?? "", new RegExp(`\`${name}\``), `${name}: ${anchor}`);
  }
});
