import assert from "node:assert/strict";
import { join } from "node:path";
import type { DebianProgram } from "./debian_program.ts";

/** Makes an authority, `ca.pem`, and what a server on 127.0.0.1 needs: `cert.pem` and `key.pem`. */
export async function makeCertificates(
  { path, environment }: DebianProgram,
  directory: string,
): Promise<void> {
  const openssl = async (...args: string[]): Promise<void> => {
    const command = new Deno.Command(path, { args, cwd: directory, env: environment });
    const { success, stderr } = await command.output();
    assert.ok(success, new TextDecoder().decode(stderr));
  };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  await openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-days",
    "2",
    "-subj",
    "/CN=Authority",
  );
  await openssl("req", ...key, "-keyout", "key.pem", "-out", "cert.csr", "-subj", "/CN=source");
  Deno.writeTextFileSync(join(directory, "names"), "subjectAltName=IP:127.0.0.1\n");
  const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-days", "2"];
  await openssl("x509", "-req", "-in", "cert.csr", ...by, "-out", "cert.pem");
}
