import assert from "node:assert/strict";
import { join } from "node:path";
import { parsePostgresUrl, type PostgresAddress } from "../../../src/config/postgres_url.ts";
import type { PostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { EVERYTHING, typesOf } from "../../store/chunks.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { written } from "../../store/outcomes.ts";
import { makeCertificates } from "../support/certificates.ts";
import { debianTest } from "../support/debian_program.ts";
import { POSTGRES_PROGRAMS, PostgresCluster } from "./support/cluster.ts";
import { openStore } from "./support/shared_stores.ts";

const PASSWORD = "s3cr\u00e9t %:/@";
const AUTHENTICATION = [
  "local all postgres trust",
  "host all postgres all trust",
  "local all plain password",
  "local all open trust",
  "host all open all trust",
  "local all all scram-sha-256",
  "host all plain all password",
  "host all hashed all md5",
  "hostssl all all all scram-sha-256",
];

function open(url: string): Promise<PostgresStore> {
  const address = parsePostgresUrl(url) as PostgresAddress;
  assert.ok(!("fault" in address), url);
  return openStore({ address, schema: "login" });
}

/** Writes and reads, on sessions of both kinds. */
async function assertWorks(url: string): Promise<void> {
  const store = await open(url);
  const { head } = store.opened;
  written((await store.writer.group([ofTypes("x".repeat(200_000))]))[0]);
  assert.equal(typesOf(await store.reads.chunk({ ...EVERYTHING, afterSequence: head })).length, 1);
  await store.close();
}

async function assertRejected(url: string, why: RegExp): Promise<void> {
  await assert.rejects(open(url), ({ message }: Error) => {
    assert.match(message, why);
    assert.ok(!message.includes(PASSWORD) && !message.includes(encodeURIComponent(PASSWORD)), message);
    return true;
  });
}

/** Makes a PostgreSQL accept only TLS and logins with a password, except for its superuser. */
async function guard(cluster: PostgresCluster, certificates: string): Promise<void> {
  cluster.configure("pg_hba.conf", `${AUTHENTICATION.join("\n")}\n`);
  cluster.copyIn(join(certificates, "cert.pem"), join(certificates, "key.pem"));
  await cluster.sql(
    `CREATE ROLE careful LOGIN PASSWORD '${PASSWORD}'`,
    "CREATE ROLE plain LOGIN PASSWORD 'plain'",
    "SET password_encryption = 'md5'",
    "CREATE ROLE hashed LOGIN PASSWORD 'hashed'",
    "CREATE ROLE open LOGIN PASSWORD 'open'",
    "GRANT careful TO open",
    "GRANT CREATE ON DATABASE postgres TO careful",
    "ALTER SYSTEM SET ssl_cert_file = 'cert.pem'",
    "ALTER SYSTEM SET ssl_key_file = 'key.pem'",
    "ALTER SYSTEM SET ssl = on",
    "SELECT pg_reload_conf()",
  );
}

await debianTest(
  [...POSTGRES_PROGRAMS, "openssl"],
  "the password is proven and never said, and with TLS it is known to whom",
  async ({ openssl, ...programs }) => {
    const certificates = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
    try {
      await makeCertificates(openssl, certificates);
      await using cluster = await PostgresCluster.start(programs);
      await guard(cluster, certificates);
      const { port } = cluster;
      const user = `careful:${encodeURIComponent(PASSWORD)}`;
      const trusted = `sslrootcert=${encodeURIComponent(join(certificates, "ca.pem"))}`;
      const url = `postgresql://${user}@127.0.0.1:${port}/postgres`;
      const verified = `${url}?sslmode=verify-full&${trusted}`;
      const socket = `postgresql://${user}@localhost:${port}/postgres?host=${cluster.directory}`;
      await assertWorks(verified);
      await assertWorks(socket);
      await assertRejected(`${url}?sslmode=verify-full`, /invalid peer certificate/);
      const otherName = verified.replace("127.0.0.1", "localhost");
      await assertRejected(otherName, /invalid peer certificate/);
      await assertWorks(otherName.replace("verify-full", "verify-ca"));
      await assertRejected(url, /no pg_hba\.conf entry for host/);
      await assertRejected(verified.replace(user, "careful:wrong"), /password authentication failed/);
      await assertRejected(verified.replace(user, "careful"), /asks for the password of careful/);
      await assertRejected(url.replace(user, "plain:plain"), /wants to see the password without TLS/);
      await assertRejected(socket.replace(user, "plain:plain"), /wants to see the password without TLS/);
      for (const place of [url, verified, socket]) {
        const unasked = /lets open in without asking for the password.* pg_hba\.conf, or remove the password/;
        await assertRejected(place.replace(user, "open:open"), unasked);
        await assertWorks(place.replace(user, "open"));
      }
      await assertRejected(url.replace(user, "hashed:hashed"), /wants to see an MD5 hash of the password/);
    } finally {
      await Deno.remove(certificates, { recursive: true });
    }
  },
);
