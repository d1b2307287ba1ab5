import assert from "node:assert/strict";
import { join } from "node:path";
import { Shell } from "../../shell/shell_address.ts";
import { inDirectory } from "../../support/directory.ts";
import { makeCertificates } from "../support/certificates.ts";
import { debianTest } from "../support/debian_program.ts";

await debianTest(
  ["openssl"],
  "over https and below a base path the client asks with its token, if the certificate is one to trust",
  async ({ openssl }) => {
    await inDirectory(async (directory) => {
      await makeCertificates(openssl, directory);
      const text = (name: string): string => Deno.readTextFileSync(join(directory, name));
      const asked: string[] = [];
      await using server = Deno.serve({
        hostname: "127.0.0.1",
        port: 0,
        cert: text("cert.pem"),
        key: text("key.pem"),
        onListen() {},
      }, ({ url, headers }) => {
        asked.push(`${new URL(url).pathname} ${headers.get("authorization")}`);
        return Response.json({ status: "ok", version: "1.2.3" });
      });
      // A process reads DENO_CERT when it starts, and input makes the client one of its own.
      const stdin = "";
      const env = {
        EVENTSTORE_URL: `https://127.0.0.1:${server.addr.port}/base/path/`,
        EVENTSTORE_TOKEN: "secret",
      };
      const shell = new Shell();
      const untrusted = /the certificate's authority is not trusted; name it with --ca-file\)$/m;
      await shell.fails(["health"], 5, untrusted, { env, stdin });
      const key = join(directory, "key.pem");
      await shell.fails(["health", "--ca-file", key], 2, /--ca-file: .* no certificate in it/, {
        env,
        stdin,
      });
      await shell.fails(["health", "--ca-file", "none"], 2, /none: cannot be read/, { env, stdin });
      await shell.fails(["health", "--ca-file", key, "--socket", "s"], 2, /there is no URL/, { stdin });
      assert.deepEqual(asked, [], "nothing was said to a stranger");
      const trusting = { ...env, DENO_CERT: join(directory, "ca.pem") };
      assert.equal(await shell.prints(["health"], { env: trusting, stdin }), "ok, version 1.2.3\n");
      const flag = ["health", "--ca-file", join(directory, "ca.pem")];
      assert.equal(await shell.prints(flag, { env, stdin }), "ok, version 1.2.3\n");
      const variable = { ...env, EVENTSTORE_CA_FILE: join(directory, "ca.pem") };
      assert.equal(await shell.prints(["health"], { env: variable, stdin }), "ok, version 1.2.3\n");
      assert.deepEqual(asked, Array(3).fill("/base/path/health Bearer secret"));
    });
  },
);
