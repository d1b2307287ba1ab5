import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../../tools/build/run.ts";
import { makeCertificates } from "./certificates.ts";
import { debianTest } from "./debian_program.ts";
import { explainDownload } from "./download.ts";

const PACKAGE = "no-such-package";

/** The error of the runtime when it cannot download a package from there. */
async function downloadFrom(registry: string, directory: string): Promise<Error> {
  const env = { DENO_DIR: join(directory, "cache"), NPM_CONFIG_REGISTRY: registry, HOME: directory };
  const downloaded = run(Deno.execPath(), ["cache", "--no-config", "--no-lock", `npm:${PACKAGE}`], { env });
  return await downloaded.then(() => assert.fail("downloaded"), (error: Error) => error);
}

function explained(error: Error): string {
  try {
    return explainDownload("a package")(error);
  } catch (explanation) {
    return (explanation as Error).message;
  }
}

await debianTest(
  ["openssl"],
  "what cannot be downloaded is said in one line, and why",
  async ({ openssl }) => {
    const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
    try {
      await makeCertificates(openssl, directory);
      const text = (name: string): string => Deno.readTextFileSync(join(directory, name));
      const tls = { cert: text("cert.pem"), key: text("key.pem") };
      const options = { hostname: "127.0.0.1", port: 0, onListen: (): void => {}, ...tls };
      await using server = Deno.serve(options, () => new Response(null, { status: 404 }));
      const registry = `https://127.0.0.1:${server.addr.port}/`;
      const distrusted = explained(await downloadFrom(registry, directory));
      assert.match(
        distrusted,
        /^this test downloads a package, [^\n]*DENO_TLS_CA_STORE=system or DENO_CERT$/,
      );
      const nobody = "https://127.0.0.1:1/";
      const unreachable = explained(await downloadFrom(nobody, directory));
      assert.equal(unreachable, `this test downloads a package, but cannot reach ${nobody}${PACKAGE}`);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
    const other = new Error("something else");
    assert.equal(explained(other), other.message);
  },
);
