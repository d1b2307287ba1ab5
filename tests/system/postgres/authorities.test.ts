import assert from "node:assert/strict";
import { join } from "node:path";
import { parsePostgresUrl, type PostgresAddress } from "../../../src/config/postgres_url.ts";
import { textIn } from "../../../src/store/postgres/protocol/cells.ts";
import { Session } from "../../../src/store/postgres/protocol/session.ts";
import { runServer, startServer } from "../../support/server_process.ts";
import { CertificateMaker } from "../support/certificates.ts";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";
import { POSTGRES_PROGRAMS, PostgresCluster, type PostgresPrograms } from "./support/cluster.ts";
import { inTime } from "./support/in_time.ts";
import { serverVariables } from "./support/shared_stores.ts";

const FOR_THIS_HOST = ["subjectAltName=IP:127.0.0.1"];

interface Setup extends AsyncDisposable {
  readonly cluster: PostgresCluster;
  readonly maker: CertificateMaker;
  /** Makes PostgreSQL show a certificate, followed by others. */
  show(name: string, others?: readonly string[], key?: string): Promise<void>;
  /** A URL that names what is trusted. */
  url(sslmode: string, authorities?: string, host?: string): string;
}

async function setUp(openssl: DebianProgram, programs: PostgresPrograms): Promise<Setup> {
  const directory = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
  const maker = new CertificateMaker(openssl, directory);
  await maker.authority("ours", "Our authority");
  await maker.authority("public", "Public authority");
  await maker.authority("forged", "Our authority");
  const cluster = await PostgresCluster.start(programs);
  const passwords = [
    "local all all trust",
    "host all postgres all trust",
    "hostssl all guest all scram-sha-256",
  ];
  cluster.configure("pg_hba.conf", `${[...passwords, "hostssl all plain all password"].join("\n")}\n`);
  await cluster.sql("CREATE ROLE guest LOGIN PASSWORD 'secret'", "CREATE ROLE plain LOGIN PASSWORD 'secret'");
  await cluster.sql("GRANT CREATE ON DATABASE postgres TO guest, plain");
  let shown = 0;
  const read = (file: string): string => Deno.readTextFileSync(join(directory, file));
  return {
    cluster,
    maker,
    async show(name, others = [], key = name) {
      const files = [`shown${++shown}.pem`, `shown${shown}.key`] as const;
      Deno.writeTextFileSync(
        join(directory, files[0]),
        [name, ...others].map((one) => read(`${one}.pem`)).join(""),
      );
      Deno.writeTextFileSync(join(directory, files[1]), read(`${key}.key`));
      cluster.copyIn(...files.map((file) => join(directory, file)));
      await cluster.sql(
        `ALTER SYSTEM SET ssl_cert_file = '${files[0]}'`,
        `ALTER SYSTEM SET ssl_key_file = '${files[1]}'`,
        "ALTER SYSTEM SET ssl = on",
        "SELECT pg_reload_conf()",
      );
      await inTime(async () => {
        const [row] = await cluster.sql("SELECT current_setting('ssl_cert_file'), current_setting('ssl')");
        assert.deepEqual(row!.map(textIn), [files[0], "on"]);
      });
    },
    url(sslmode, authorities, host = "127.0.0.1") {
      const trusted = authorities === undefined
        ? ""
        : `&sslrootcert=${join(directory, `${authorities}.pem`)}`;
      return `postgresql://guest:secret@${host}:${cluster.port}/postgres?sslmode=${sslmode}${trusted}`;
    },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

function connect({ cluster }: Setup, url: string): Promise<unknown> {
  const address = parsePostgresUrl(url) as PostgresAddress;
  assert.ok(!("fault" in address), url);
  return cluster.sqlIn(address, "SELECT 1");
}

await debianTest(
  [...POSTGRES_PROGRAMS, "openssl"],
  "with sslrootcert, an authority that the runtime trusts does not vouch",
  async ({ openssl, ...programs }) => {
    await using setup = await setUp(openssl, programs);
    const { cluster, maker } = setup;
    await maker.issue("of_ours", "ours", FOR_THIS_HOST);
    await maker.issue("of_public", "public", FOR_THIS_HOST);
    const trusted = join(maker.directory, "public.pem");
    const stores = [{ DENO_CERT: trusted }, { DENO_TLS_CA_STORE: "system", SSL_CERT_FILE: trusted }];
    const start = (env: Record<string, string>, url: string) => ({
      env: { ...env, ...serverVariables(url, "roots") },
    });
    await setup.show("of_public");
    for (const env of stores) {
      // The certificates of the environment are trusted by default.
      await (await startServer(start(env, setup.url("verify-full"))))[Symbol.asyncDispose]();
      for (const mode of ["verify-full", "verify-ca"]) {
        const { code, stderr } = await runServer(start(env, setup.url(mode, "ours")));
        assert.equal(code, 1);
        assert.match(stderr, /: invalid peer certificate: unable to verify the first certificate\n$/);
        // As with openssl's programs, a file without certificates trusts none.
        Deno.writeTextFileSync(join(maker.directory, "empty.pem"), "");
        const empty = await runServer(start(env, setup.url(mode, "empty")));
        assert.match(empty.stderr, /sslrootcert must be a file of certificates in PEM form/);
      }
    }
    await setup.show("of_ours");
    for (const mode of ["verify-full", "verify-ca"]) {
      await using _server = await startServer(start(stores[0]!, setup.url(mode, "ours")));
    }
    await cluster.sql("DROP SCHEMA roots CASCADE");
  },
);

await debianTest(
  [...POSTGRES_PROGRAMS, "openssl"],
  "a certificate counts only with a chain to an authority, and for the names in it",
  async ({ openssl, ...programs }) => {
    await using setup = await setUp(openssl, programs);
    const { maker } = setup;
    const assertRejected = async (why: RegExp, url = setup.url("verify-full", "ours")): Promise<void> => {
      await assert.rejects(connect(setup, url), ({ message }: Error) => {
        assert.match(message, /^invalid peer certificate: /);
        assert.match(message, why);
        return true;
      });
    };
    await maker.issue("below", "ours", ["basicConstraints=critical,CA:TRUE"], "Below");
    await maker.issue("good", "below", FOR_THIS_HOST);
    await setup.show("good", ["below"]);
    await connect(setup, setup.url("verify-full", "ours"));
    await connect(setup, setup.url("verify-full", "below"));
    const local = setup.url("verify-full", "ours", "localhost");
    await assertRejected(/not for localhost, but for 127\.0\.0\.1$/, local);
    await connect(setup, setup.url("verify-ca", "ours", "localhost"));
    await assertRejected(/unable to/, setup.url("verify-ca", "forged"));
    await setup.show("good");
    await assertRejected(/unable to/);

    // Deno 2.9.6 itself trusts every chain with such a certificate in it, forged ones too.
    await maker.issue("old", "ours", []);
    await setup.show("old");
    await assertRejected(/X\.509 version 1 says too little: make one of version 3$/);
    await maker.issue("old_forged", "forged", [], "Below");
    await maker.issue("of_old", "old_forged", FOR_THIS_HOST);
    await setup.show("of_old", ["old_forged"]);
    await assertRejected(/X\.509 version 1/);

    await maker.issue("leaf", "ours", ["basicConstraints=CA:FALSE", ...FOR_THIS_HOST]);
    await maker.issue("of_leaf", "leaf", FOR_THIS_HOST);
    await setup.show("of_leaf", ["leaf"]);
    await assertRejected(/unable to/);

    const quoted = ["subjectAltName=@names", "[names]", 'DNS.1="other.org\\\\, DNS:localhost"'];
    const wild = [["subjectAltName=DNS:l*"], ["subjectAltName=DNS:*"]];
    for (const names of [["basicConstraints=CA:FALSE"], quoted, ...wild]) {
      await maker.issue("other", "ours", names, "localhost");
      await setup.show("other");
      await assertRejected(/it is not for localhost, but for /, local);
    }
  },
);

await debianTest(
  [...POSTGRES_PROGRAMS, "openssl"],
  "the password itself goes only to a server whose name was checked",
  async ({ openssl, ...programs }) => {
    await using setup = await setUp(openssl, programs);
    await setup.maker.issue("good", "ours", FOR_THIS_HOST);
    await setup.show("good");
    const plain = (mode: string): string => setup.url(mode, "ours").replace("guest", "plain");
    await connect(setup, plain("verify-full"));
    await assert.rejects(
      connect(setup, plain("verify-ca")),
      /wants to see the password without TLS that has checked/,
    );
    await connect(setup, setup.url("verify-ca", "ours"));
  },
);

await debianTest(
  [...POSTGRES_PROGRAMS, "openssl"],
  "a session behind sslrootcert ends with its server, or when that is silent",
  async ({ openssl, ...programs }) => {
    await using setup = await setUp(openssl, programs);
    const { cluster, maker } = setup;
    await maker.issue("good", "ours", FOR_THIS_HOST);
    await setup.show("good");
    const options = { parameters: {}, silenceMilliseconds: 500 };
    const address = parsePostgresUrl(setup.url("verify-full", "ours")) as PostgresAddress;
    const silent = await Session.open(address, options);
    await assert.rejects(silent.run([{ sql: "SELECT pg_sleep(60)" }]), /PostgreSQL does not answer/);
    const session = await Session.open(address, options);
    const [rows] = await session.run([{ sql: "SELECT repeat('x', 1000000) FROM generate_series(1, 5)" }]);
    assert.deepEqual(rows!.map(([text]) => text!.length), new Array(5).fill(1_000_000));
    await cluster.end("SIGKILL");
    await session.ended;
    await assert.rejects(session.run([{ sql: "SELECT 1" }]), { name: "SessionLost" });
    await assert.rejects(Session.open(address, options), { name: "SessionLost" });
  },
);
