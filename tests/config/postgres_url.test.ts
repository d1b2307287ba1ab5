import assert from "node:assert/strict";
import {
  parsePostgresUrl,
  type PostgresAddress,
  postgresAddressText,
} from "../../src/config/postgres_url.ts";
import { loadServerText, serverProblemsOf } from "./load_text.ts";

const FULL = { verifiesName: true, authoritiesPath: undefined };

Deno.test("a URL says where, as whom, and how safely", () => {
  const tcp = (hostname: string, port: number, tls: object | undefined): object => ({
    server: { transport: "tcp", hostname, port, tls },
    user: "u",
    password: undefined,
    database: "d",
  });
  const cases: readonly [url: string, address: object][] = [
    ["postgresql://u@db.example/d", tcp("db.example", 5432, FULL)],
    ["postgres://u@db.example:6543/d?sslmode=verify-full", tcp("db.example", 6543, FULL)],
    ["postgresql://u@db.example/d?sslmode=disable", tcp("db.example", 5432, undefined)],
    [
      "postgresql://u@h/d?sslmode=verify-ca&sslrootcert=/ca.pem",
      tcp("h", 5432, { verifiesName: false, authoritiesPath: "/ca.pem" }),
    ],
    ["postgresql://u@localhost/d", tcp("localhost", 5432, undefined)],
    ["postgresql://u@[::1]:1/d", tcp("::1", 1, undefined)],
    ["postgresql://u@127.0.0.1/d?sslmode=verify-full", tcp("127.0.0.1", 5432, FULL)],
    ["postgresql://%C3%BC:p%40%3A%25@localhost/a%2Fb?host=/run/postgresql", {
      server: { transport: "unix", path: "/run/postgresql/.s.PGSQL.5432" },
      user: "\u00fc",
      password: "p@:%",
      database: "a/b",
    }],
  ];
  for (const [url, address] of cases) assert.deepEqual(parsePostgresUrl(url), address, url);
});

Deno.test("a URL may name several hosts, and which of them will do", () => {
  const url = "postgres://u:a,b@h1:5433,h2,[::1]:1/d?sslmode=disable&target_session_attrs=read-write";
  const address = parsePostgresUrl(url) as PostgresAddress;
  const tcp = (hostname: string, port: number) => ({ transport: "tcp", hostname, port, tls: undefined });
  assert.deepEqual(address, {
    server: tcp("h1", 5433),
    others: [tcp("h2", 5432), tcp("::1", 1)],
    target: "read-write",
    user: "u",
    password: "a,b",
    database: "d",
  });
  assert.equal(postgresAddressText(address), "database d at h1:5433, h2:5432, ::1:1 as u");
});

Deno.test("a URL that says too little, or something else, is rejected without showing it", () => {
  const cases: readonly [url: string, fault: RegExp][] = [
    ["", /postgresql:\/\/ URL/],
    ["mysql://u@h/d", /postgresql:\/\/ URL/],
    ["postgresql://h/d", /must name a user/],
    ["postgresql://u@h", /must name a database/],
    ["postgresql://u@h/", /must name a database/],
    ["postgresql://u@h/d?sslmode=require", /disable, verify-ca and verify-full/],
    [
      "postgresql://u@h/d?options=-csearch_path=x",
      /the parameters host, sslmode, sslrootcert, target_session_attrs only/,
    ],
    ["postgresql://u@h1,/d", /postgresql:\/\/ URL/],
    ["postgresql://u@h/d?target_session_attrs=read-only", /target_session_attrs any, read-write, primary/],
    ["postgresql://u@h/d#x", /only/],
    ["postgresql://u@h/d?host=other", /a directory as its host/],
    ["postgresql://u@h/d?host=/run&sslmode=verify-full", /TLS on a unix socket/],
    ["postgresql://u@h/d?sslmode=verify-ca", /needs an sslrootcert for sslmode=verify-ca/],
    ["postgresql://u@h1,h2/d?sslmode=verify-ca", /needs an sslrootcert for sslmode=verify-ca/],
    // It would have no effect.
    ["postgresql://u@localhost/d?sslrootcert=/ca.pem", /an sslrootcert, but no TLS: sslmode=verify-full/],
    ["postgresql://u@h/d?sslmode=disable&sslrootcert=/ca.pem", /an sslrootcert, but no TLS/],
    ["postgresql://u@h/d?host=/run&sslrootcert=/ca.pem", /an sslrootcert, but no TLS/],
    ["postgresql://u@h/d?sslrootcert=", /must name a file as its sslrootcert/],
    // Programs differ in which of the two they use.
    ["postgresql://u@h/d?sslmode=verify-full&sslmode=disable", /each parameter once/],
    ["postgresql://u:50%@h/d", /%25/],
    ["postgresql://u%00@h/d", /NUL/],
  ];
  for (const [url, fault] of cases) {
    const parsed = parsePostgresUrl(url);
    assert.ok("fault" in parsed, url);
    assert.match(parsed.fault, fault, url);
  }
});

Deno.test("messages name the place and never the password", () => {
  const address = parsePostgresUrl("postgresql://u:secret@h/d") as PostgresAddress;
  assert.equal(postgresAddressText(address), "database d at h:5432 as u");
});

Deno.test("storage postgres needs a URL, and a URL needs storage postgres", () => {
  const url = 'postgresUrl = "postgresql://u:secret@h/d"';
  const { settings } = loadServerText(`[server]\nstorage = "postgres"\n${url}\n`);
  assert.deepEqual([settings.postgres?.schema, settings.postgres?.poolSize], ["eventstore", 8]);
  assert.equal(loadServerText("").settings.postgres, undefined);
  assert.deepEqual(serverProblemsOf('[server]\nstorage = "postgres"\n'), [
    "config.toml:2:1: storage is postgres, but postgresUrl is not set: set it or SERVICE_POSTGRES_URL",
  ]);
  assert.deepEqual(serverProblemsOf(`[server]\n${url}\n`), [
    "config.toml:2:1: postgresUrl is set, but storage is sqlite",
  ]);
  assert.deepEqual(
    serverProblemsOf('[server]\nstorage = "postgres"\npostgresUrl = "postgresql://:secret@h/d"'),
    [
      "config.toml:3:1: postgresUrl must name a user",
    ],
  );
  for (const schema of ["", "Upper", "1st", "pg_mine", "information_schema", "a-b", "a".repeat(64)]) {
    const [problem] = serverProblemsOf(`[server]\npostgresSchema = "${schema}"\n`);
    assert.match(problem ?? "", /^config\.toml:2:1: postgresSchema must be lower-case letters/);
  }
});
