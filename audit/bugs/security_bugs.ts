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
      find: "    originCheck: settings.authToken === undefined\n",
      replace: "    originCheck: settings.authToken !== undefined\n",
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
