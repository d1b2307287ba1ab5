import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import {
  all,
  buildContext,
  commandOf,
  denoOutput,
  DOCKERFILE,
  image,
  one,
  REPOSITORY,
  variables,
} from "../../packaging/dockerfile.ts";
import { eventually } from "../../support/eventually.ts";
import { run } from "../support/apt.ts";
import { explainDownload } from "../support/download.ts";
import { ScratchRoot, scratchRootTest } from "./scratch_root.ts";
import { packageableExecutables } from "./stand_ins.ts";

/*
 * No engine builds the image here. The test checks its parts one by one, and runs what it would run.
 */

const LINTER = "npm:dockerfile-utils@0.16.3";

Deno.test("a linter has nothing to say about the Dockerfile", async () => {
  const linter = ["run", "--quiet", "--no-config", "--no-lock", "--allow-all", LINTER, "lint"];
  const linted = denoOutput([...linter, DOCKERFILE]);
  assert.equal(await linted.catch(explainDownload("the linter")), "");
});

Deno.test({
  name: "the build works on what reaches it",
  ignore: Deno.env.get("EVENTSTORE_LONG_TESTS") !== "1",
  fn: async () => {
    const directory = await Deno.makeTempDir({ prefix: "eventstore_context_" });
    try {
      for (const path of buildContext()) {
        await Deno.mkdir(join(directory, path, ".."), { recursive: true });
        await run("cp", ["-r", join(REPOSITORY, path), join(directory, path)]);
      }
      await denoOutput(["task", "build"], directory);
      const built = all(image, "COPY").find((rest) => rest.includes("--from="))!;
      for (const source of copiedTo(built).sources) {
        assert.ok(existsSync(join(directory, "dist", basename(source))), source);
      }
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

/** Where COPY puts each file. */
function copiedTo(rest: string): { readonly sources: string[]; readonly target: string } {
  const words = rest.split(" ").filter((word) => !word.startsWith("--"));
  return { sources: words.slice(0, -1), target: words.at(-1)! };
}

/** Follows the instructions of the image. */
async function makeImage(root: ScratchRoot, executables: string): Promise<void> {
  for (const rest of all(image, "COPY")) {
    const { sources, target } = copiedTo(rest);
    for (const source of sources) {
      const from = join(
        rest.includes("--from=") ? executables : REPOSITORY,
        rest.includes("--from=") ? basename(source) : source,
      );
      const to = root.path(target.endsWith("/") ? target + basename(source) : target);
      await Deno.copyFile(from, to);
      await Deno.chmod(to, 0o755);
    }
  }
  await root.runWell("bash", "-c", one(image, "RUN"));
  await root.runWell("mkdir", "-p", one(image, "WORKDIR"));
  for (const volume of commandOf(one(image, "VOLUME"))) {
    const owner = await root.runWell("stat", "-c", "uid=%u,gid=%g,mode=%a", volume);
    assert.equal(owner, "uid=10001,gid=10001,mode=700");
    // A new volume takes over owner and mode of the directory that it covers.
    await root.runWell("mount", "-t", "tmpfs", "-o", owner, "volume", volume);
  }
  for (const mount of ["/", "/tmp", "/run"]) await root.runWell("mount", "-o", "remount,ro", mount);
}

/** The user of the image with its variables, no right more, and nothing else. */
function asTheImageSays(command: readonly string[], more: Readonly<Record<string, string>> = {}): string[] {
  const [user, group] = one(image, "USER").split(":");
  const environment = Object.entries({ ...variables, ...more }).map(([name, value]) => `${name}=${value}`);
  const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  return [
    ...[
      "setpriv",
      `--reuid=${user}`,
      `--regid=${group}`,
      "--clear-groups",
      "--no-new-privs",
      "--bounding-set=-all",
    ],
    ...["env", "-i", "-C", one(image, "WORKDIR"), path, ...environment, ...command],
  ];
}

/** Sends the signal of STOPSIGNAL to the first process of the container, which has number 1 in there only. */
async function stopProcess1(root: ScratchRoot): Promise<void> {
  const inner = "grep -lE '^NSpid:\\s+[0-9]+\\s+1$' /proc/[0-9]*/status | cut -d/ -f3";
  await root.runWell("sh", "-c", `kill -${one(image, "STOPSIGNAL").replace("SIG", "")} $(${inner})`);
}

await scratchRootTest(
  "the image's server runs as process 1 on a read-only file system, healthy until it stops",
  {
    systemd: false,
  },
  async () => {
    await using executables = await packageableExecutables();
    await using root = await ScratchRoot.start({ systemd: false, shared: executables.shared });
    await makeImage(root, executables.directory);
    const check = commandOf(one(image, "HEALTHCHECK"));
    const health = async (more: Readonly<Record<string, string>> = {}): Promise<number> =>
      (await root.run(...asTheImageSays(check, more))).code;
    assert.equal(await health(), 1, "nothing listens yet");

    for (const token of [undefined, "secret"]) {
      const more = token === undefined ? {} : { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: token };
      const process1 = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
      const server = root.spawn(...process1, ...asTheImageSays(commandOf(one(image, "CMD")), more));
      const output = server.output();
      await eventually(async () => assert.equal(await health(more), 0), 60);
      assert.equal(await health(), 0, "a token that the check does not know does not concern it");
      const asked = asTheImageSays(["eventstore-client", "health"], token ? { EVENTSTORE_TOKEN: token } : {});
      assert.match(await root.runWell(...asked), /^ok, version/, "it knows where the server is");
      assert.equal(await health({ ...more, SERVICE_PORT: "8086" }), 1, "nothing listens there");
      assert.equal(
        (await root.run(...asTheImageSays(["eventstore-init"]))).code,
        1,
        "the server has made the database",
      );
      await stopProcess1(root);
      const { code, stdout, stderr } = await output;
      const printed = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.equal(code, 0, printed);
      assert.match(printed, /listening on http:\/\/0\.0\.0\.0:8085/);
    }
    assert.equal(await health(), 1, "the server has stopped");
  },
);
