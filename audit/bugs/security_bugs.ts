import type { Bug } from "./bug.ts";

const GREETING = "src/store/postgres/protocol/greeting.ts";
const CONNECT = "src/store/postgres/protocol/connect.ts";

/** A stranger gets the password, a page of a stranger writes, or a rule of a proxy is not enforced. */
export const SECURITY_BUGS: readonly Bug[] = [
  {
    name: "sslrootcert only adds to the authorities that are trusted by default",
    edits: [
      {
        file: CONNECT,
        find: "if (server.tls?.authoritiesPath !== undefined) {",
        replace: 'if (server.tls?.authoritiesPath === "") {',
      },
      {
        file: CONNECT,
        find: "  const secure = await Deno.startTls(conn, { hostname });",
        replace: "  const path = server.tls.authoritiesPath;\n" +
          "  const caCerts = path === undefined ? [] : [Deno.readTextFileSync(path)];\n" +
          "  const secure = await Deno.startTls(conn, { hostname, caCerts });",
      },
    ],
    caughtBy: { tests: "tests/system/postgres/authorities.test.ts" },
  },
  {
    name: "a login without the server's proof is accepted",
    edits: [{
      file: GREETING,
      find: "let isProven = password === undefined;",
      replace: "let isProven = true;",
    }],
    caughtBy: { tests: "tests/system/postgres/login.test.ts" },
  },
  {
    name: "the password is sent to a server whose name was not checked",
    edits: [{
      file: GREETING,
      find: "server.tls?.verifiesName === true;",
      replace: "server.tls !== undefined;",
    }],
    caughtBy: { tests: "tests/system/postgres/authorities.test.ts" },
  },
  {
    name: "a token may do everything, whatever its rights",
    edits: [{
      file: "src/http/pipeline.ts",
      find: 'if (right === "none" || rights.has(right)) return;',
      replace: 'if (right === "none" || rights.size > 0) return;',
    }],
    caughtBy: { tests: "tests/editions/contract/contract.test.ts" },
  },
  {
    name: "a read that waits outlives its token",
    edits: [{
      file: "src/editions/shared/read_events.ts",
      find: "return gone === undefined ? request :",
      replace: "return gone !== null ? request :",
    }],
    caughtBy: { tests: "tests/editions/contract/contract.test.ts" },
  },
  {
    name: "a transaction can be continued with every token",
    edits: [{
      file: "src/editions/b_tx/open_transactions.ts",
      find: "return entry !== undefined && isSameOwner(entry.owner, access) ? entry : undefined;",
      replace: "return entry !== undefined && isSameOwner !== undefined ? entry : undefined;",
    }],
    caughtBy: { tests: "tests/editions/b_tx/tokens.test.ts" },
  },
  {
    name: "a ticket outlives its token",
    edits: [{
      file: "src/editions/c_ticket/begin.ts",
      find: 'gone?.addEventListener("abort", end);',
      replace: 'gone?.addEventListener("abort", () => {});',
    }],
    caughtBy: { tests: "tests/editions/c_ticket/tokens.test.ts" },
  },
  {
    name: "an expired token is accepted",
    edits: [{
      file: "src/http/authorization.ts",
      find: "access.expires <= Date.now()",
      replace: "access.expires <= 0",
    }],
    caughtBy: { tests: "tests/http/authorization.test.ts" },
  },
  {
    name: "segments of a path are decoded before they are compared",
    edits: [{
      file: "src/http/router.ts",
      find: 'const sent = rawPath.slice(1).split("/");',
      replace: "const sent = decoded;",
    }],
    caughtBy: { tests: "tests/http/router.test.ts" },
  },
  {
    name: "without a token, requests of web pages of strangers are accepted",
    edits: [{
      file: "src/server/leadership.ts",
      find: "originCheck: tokens === undefined",
      replace: "originCheck: tokens !== undefined",
    }],
    caughtBy: { tests: "tests/editions/contract/contract.test.ts" },
  },
  {
    name: "a Host name that a stranger may have pointed to this server is accepted",
    edits: [{
      file: "src/http/own_origin.ts",
      find: "    if (!isHostChecked) return undefined;\n",
      replace: "    if (!isHostChecked || origin === undefined) return undefined;\n",
    }],
    caughtBy: { tests: "tests/http/own_origin.test.ts" },
  },
];
