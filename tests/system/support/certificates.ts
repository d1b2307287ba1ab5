import assert from "node:assert/strict";
import { join } from "node:path";
import type { DebianProgram } from "./debian_program.ts";
import { runCommand } from "../../support/run_command.ts";

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** Makes certificates in a directory: `name.pem` with its key in `name.key`. */
export class CertificateMaker {
  readonly directory: string;
  readonly #program: DebianProgram;

  constructor(program: DebianProgram, directory: string) {
    this.#program = program;
    this.directory = directory;
  }

  /** An authority. Two may have the same subject, as a forger can choose any. */
  async authority(name: string, subject: string): Promise<void> {
    const files = ["-keyout", `${name}.key`, "-out", `${name}.pem`];
    await this.#openssl("req", "-x509", ...NEW_KEY, ...files, "-days", "2", "-subj", `/CN=${subject}`);
  }

  /** A certificate. Without extensions, it is of X.509 version 1. */
  async issue(name: string, by: string, extensions: readonly string[], commonName = "source"): Promise<void> {
    const subject = ["-subj", `/CN=${commonName}`];
    await this.#openssl("req", ...NEW_KEY, "-keyout", `${name}.key`, "-out", `${name}.csr`, ...subject);
    const issuer = ["-CA", `${by}.pem`, "-CAkey", `${by}.key`, "-CAcreateserial", "-days", "2"];
    Deno.writeTextFileSync(join(this.directory, "extensions"), `${extensions.join("\n")}\n`);
    const extended = extensions.length === 0 ? [] : ["-extfile", "extensions"];
    await this.#openssl("x509", "-req", "-in", `${name}.csr`, ...issuer, ...extended, "-out", `${name}.pem`);
  }

  async #openssl(...args: string[]): Promise<void> {
    const { path, environment } = this.#program;
    const { code, stderr } = await runCommand([path, ...args], { cwd: this.directory, env: environment });
    assert.equal(code, 0, stderr);
  }
}

/** Makes an authority, `ca.pem`, and what a server on 127.0.0.1 needs: `cert.pem` and `key.pem`. */
export async function makeCertificates(program: DebianProgram, directory: string): Promise<void> {
  const maker = new CertificateMaker(program, directory);
  await maker.authority("ca", "Authority");
  await maker.issue("cert", "ca", ["subjectAltName=IP:127.0.0.1"]);
  Deno.renameSync(join(directory, "cert.key"), join(directory, "key.pem"));
}
