import assert from "node:assert/strict";
import { join } from "node:path";
import { makeCertificates } from "../support/certificates.ts";
import { debianTest } from "../support/debian_program.ts";
import { FakeSource, lines, rightPage, STORE } from "../../backup/fake_source.ts";
import { assertFailed, BackupDirectories } from "../../backup/run_backup.ts";
import { storedLines } from "../../backup/stored_lines.ts";

await debianTest(
  ["openssl"],
  "over https and below a base path events are copied, if the certificate is one to trust",
  async ({ openssl }) => {
    using place = new BackupDirectories({ transport: "tcp", hostname: "127.0.0.1", port: 1 });
    await makeCertificates(openssl, place.directory);
    const text = (name: string): string => Deno.readTextFileSync(join(place.directory, name));
    const tls = { cert: text("cert.pem"), key: text("key.pem") };
    const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...tls });
    await using source = new FakeSource((request) => rightPage(request, 5), listener);
    const url = `https://127.0.0.1:${source.address.port}/base/path/`;
    const env = { SERVICE_BACKUP_SOURCE_URL: url };
    // A process reads DENO_CERT when it starts.
    const isProcess = true;
    assertFailed(
      await place.run({ env, isProcess }),
      1,
      /the certificate's authority is not trusted: name it with sourceCaFile$/m,
    );
    for (
      const [name, fault] of [["missing", /missing: cannot be read/], [
        "key.pem",
        /there is no certificate in it/,
      ]]
    ) {
      const faulty = { ...env, SERVICE_BACKUP_SOURCE_CA_FILE: join(place.directory, name as string) };
      assertFailed(await place.run({ env: faulty }), 1, fault as RegExp);
    }
    assert.equal(source.requests.length, 0);
    const trusting = { ...env, DENO_CERT: join(place.directory, "ca.pem") };
    const { code, stderr } = await place.run({ env: trusting, isProcess });
    assert.equal(code, 0, stderr);
    assert.deepEqual(storedLines(place.file(STORE)), lines(1, 5));
    const named = { ...env, SERVICE_BACKUP_SOURCE_CA_FILE: "ca.pem" };
    assert.equal((await place.run({ env: named })).code, 0, "a file in the settings");
    for (const { head } of source.requests) {
      assert.match(head, /^QUERY \/base\/path\/events HTTP\/1\.1\r\n/);
      assert.match(head, new RegExp(`\r\nHost: 127\\.0\\.0\\.1:${source.address.port}\r\n`));
    }
  },
);
