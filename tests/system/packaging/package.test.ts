import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { part, selfExtracting } from "../../../tools/build/self_extracting.ts";
import { targetOf } from "../../../tools/build/target.ts";
import type { Architecture } from "../../../tools/packaging/debian_control.ts";
import { buildPackage, type Compression } from "../../../tools/packaging/debian_package.ts";
import { programs } from "../../../cli/programs.ts";
import { VERSION } from "../../../src/config/version.ts";
import { runPackageTask } from "../../packaging/package_task.ts";
import { runCommand } from "../../support/run_command.ts";
import { run } from "../support/apt.ts";
import { debianTest } from "../support/debian_program.ts";
import { architecture, MAINTAINER } from "./two_versions.ts";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/** Builds the package from executables that do nothing. Compression takes most of the time. */
async function withPackage(
  compression: Compression,
  test: (deb: string, from: string) => Promise<void>,
): Promise<void> {
  const from = await Deno.makeTempDir({ prefix: "eventstore_package_test_" });
  try {
    for (const { name } of programs) {
      await Deno.writeTextFile(join(from, name), "#!/bin/sh\nexit 0\n");
      await Deno.utime(join(from, name), 1_700_000_000, 1_700_000_000);
    }
    await test(await build(from, from, { compression }), from);
  } finally {
    await Deno.remove(from, { recursive: true });
  }
}

function build(
  from: string,
  to: string,
  options: { readonly compression: Compression; readonly wanted?: Architecture },
): Promise<string> {
  const { compression, wanted = architecture() } = options;
  return buildPackage({ from, to, architecture: wanted, maintainer: MAINTAINER, compression });
}

await debianTest(
  ["dpkg-deb"],
  "the package holds programs, configuration, units, pages and completions",
  async () => {
    await withPackage("none", async (deb) => {
      const listed = (await run("dpkg-deb", ["--contents", deb])).trim().split("\n").map((line) =>
        line.split(/\s+/)
      );
      assert.deepEqual([...new Set(listed.map(([, owner]) => owner))], ["root/root"]);
      const directories = listed.filter(([mode]) => mode!.startsWith("d"));
      assert.deepEqual([...new Set(directories.map(([mode]) => mode))], ["drwxr-xr-x"]);
      const files = listed.filter(([mode]) => mode!.startsWith("-")).map(([mode, , , , , path]) =>
        `${mode} ${path}`
      );
      const expected = [
        "-rw-r----- ./etc/eventstore/config.toml",
        ...programs.flatMap(({ name }) => [
          `-rwxr-xr-x ./usr/bin/${name}`,
          `-rw-r--r-- ./usr/share/man/man1/${name}.1.gz`,
          `-rw-r--r-- ./usr/share/bash-completion/completions/${name}`,
          `-rw-r--r-- ./usr/share/zsh/vendor-completions/_${name}`,
          `-rw-r--r-- ./usr/share/fish/vendor_completions.d/${name}.fish`,
        ]),
        "-rw-r--r-- ./usr/share/man/man5/eventstore.toml.5.gz",
        "-rw-r--r-- ./usr/lib/systemd/system/eventstore-server.service",
        "-rw-r--r-- ./usr/lib/systemd/system/eventstore-server@.service",
        "-rw-r--r-- ./usr/lib/systemd/system/eventstore-backup.service",
        "-rw-r--r-- ./usr/lib/systemd/system/eventstore-backup.timer",
        "-rw-r--r-- ./usr/lib/systemd/system/eventstore-keys.service",
        "-rw-r--r-- ./usr/lib/systemd/system/eventstore-keys.timer",
        "-rw-r--r-- ./usr/share/doc/eventstore/CHANGELOG.md",
        "-rw-r--r-- ./usr/share/doc/eventstore/README.md",
        "-rw-r--r-- ./usr/share/doc/eventstore/changelog.gz",
        "-rw-r--r-- ./usr/share/doc/eventstore/copyright",
        "-rw-r--r-- ./usr/share/lintian/overrides/eventstore",
      ];
      const isDocument = (line: string): boolean => /\/doc\/eventstore\/(docs|deploy)\//.test(line);
      assert.deepEqual(files.filter((line) => !isDocument(line)).sort(), expected.sort());
      const documents = files.filter(isDocument).map((line) =>
        line.replace(/^-rw-r--r-- .*\/doc\/eventstore\//, "")
      );
      assert.deepEqual(
        documents.sort(),
        (await run("find", ["docs", "deploy/monitoring", "-type", "f"], { directory: REPOSITORY })).trim()
          .split(
            "\n",
          ).sort(),
      );
    });
  },
);

await debianTest(
  ["dpkg-deb"],
  "the package says what it is, and which file is the administrator's",
  async () => {
    await withPackage("none", async (deb) => {
      const fields = ["Package", "Version", "Architecture", "Maintainer"];
      const values = await Promise.all(fields.map((field) => run("dpkg-deb", ["--field", deb, field])));
      assert.deepEqual(values.map((value) => value.trim()), [
        "eventstore",
        VERSION,
        architecture(),
        MAINTAINER,
      ]);
      assert.equal(await run("dpkg-deb", ["--info", deb, "conffiles"]), "/etc/eventstore/config.toml\n");
      for (const script of ["postinst", "prerm", "postrm"]) {
        assert.match(await run("dpkg-deb", ["--info", deb, script]), /^#!\/bin\/sh\n/);
      }
    });
  },
);

await debianTest(["dpkg-deb"], "the same executables make the same package, byte for byte", async () => {
  await withPackage("xz", async (deb, from) => {
    const again = await build(from, join(from, "again"), { compression: "xz" });
    assert.deepEqual(await Deno.readFile(again), await Deno.readFile(deb));
  });
});

await debianTest(
  ["dpkg-deb", "lintian"],
  "lintian finds nothing wrong with the package",
  async ({ lintian }) => {
    const perl = join(lintian.root, "usr/lib");
    const folders = [join(lintian.root, "usr/share/perl5"), ...perlFolders(perl)];
    await withPackage("xz", async (deb) => {
      const command = [lintian.path, "--no-cfg", "--fail-on=error,warning", deb];
      const { code, stdout, stderr } = await runCommand(command, {
        env: {
          ...lintian.environment,
          LINTIAN_BASE: join(lintian.root, "usr/share/lintian"),
          PERL5LIB: folders.join(":"),
          PATH: `${join(lintian.root, "usr/bin")}:${Deno.env.get("PATH")}`,
          LC_ALL: "C.UTF-8",
        },
      });
      const printed = stdout + stderr.replace("running with root privileges is not recommended!\n", "");
      assert.deepEqual([code, printed], [0, ""]);
    });
  },
);

/** The folders with compiled modules, one per processor and version of perl. */
function perlFolders(libraries: string): string[] {
  return [...Deno.readDirSync(libraries)].filter(({ isDirectory }) => isDirectory).flatMap(({ name }) => {
    const folder = join(libraries, name, "perl5");
    try {
      return [...Deno.readDirSync(folder)].map((version) => join(folder, version.name));
    } catch {
      return [];
    }
  });
}

await debianTest(
  ["dpkg-deb"],
  "a package for another machine than its executables are for is rejected",
  async () => {
    await withPackage("none", async (_, from) => {
      const [runtime, program] = [part("eventstore", new Uint8Array(9)), "// the program\n"];
      const self = (triple: string): Uint8Array => selfExtracting("init", targetOf(triple), runtime, program);
      const elf = (machine: number): Uint8Array =>
        Uint8Array.of(...new TextEncoder().encode("\x7fELF"), 2, 1, ...Array(10).fill(0), 2, 0, machine, 0);
      const executables: readonly (readonly [Uint8Array, "amd64" | "arm64" | undefined])[] = [
        [self("x86_64-unknown-linux-gnu"), "amd64"],
        [self("aarch64-unknown-linux-gnu"), "arm64"],
        [self("aarch64-apple-darwin"), undefined],
        [elf(62), "amd64"],
        [elf(183), "arm64"],
        [elf(40), undefined],
        [Deno.readFileSync(Deno.execPath()).slice(0, 100), architecture()],
      ];
      for (const [bytes, madeFor] of executables) {
        await Deno.writeFile(join(from, "eventstore-init"), bytes);
        for (const wanted of ["amd64", "arm64"] as const) {
          const made = build(from, from, { compression: "none", wanted });
          if (wanted === madeFor) await made;
          else {await assert.rejects(
              made,
              /usr\/bin\/eventstore-init is (not an executable|for (amd|arm)64, the)/,
            );}
        }
      }
      const other = architecture() === "amd64" ? elf(183) : elf(62);
      await Deno.writeFile(join(from, "eventstore-init"), other);
      const { code, stderr } = await runPackageTask(["--from", from, "--to", from]);
      assert.equal(code, 1);
      assert.match(
        stderr,
        /eventstore-init is for a\w+64, the package for a\w+64; did you mean --architecture/,
      );
    });
  },
);
