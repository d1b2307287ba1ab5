import assert from "node:assert/strict";

Deno.test({
  name: "with CI=true a root that may not mount fails the tests that mount, unless that is said beforehand",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  fn: async () => {
    const run = async (env: Readonly<Record<string, string>>): Promise<{ code: number; text: string }> => {
      const { code, stdout } = await new Deno.Command("setpriv", {
        args: [
          ...["--inh-caps=-all", "--bounding-set=-sys_admin", Deno.execPath(), "test", "--no-prompt"],
          ...[
            "--allow-all",
            "--no-check",
            "tests/system/packaging/by_hand.test.ts",
            "tests/system/build/mounts.test.ts",
          ],
        ],
        cwd: new URL("../../../", import.meta.url),
        env: { NO_COLOR: "1", ...env },
        stdin: "null",
      }).output();
      return { code, text: new TextDecoder().decode(stdout) };
    };
    const failed = await run({ CI: "true", EVENTSTORE_WITHOUT_MOUNTS: "" });
    assert.deepEqual(
      [failed.code, /^FAILED \| 0 passed \| [1-9]\d* failed \(/m.test(failed.text)],
      [1, true],
      failed.text,
    );
    assert.match(failed.text, /namespaces and overlays are not allowed here/);
    for (
      const env of [{ CI: "", EVENTSTORE_WITHOUT_MOUNTS: "" }, { CI: "true", EVENTSTORE_WITHOUT_MOUNTS: "1" }]
    ) {
      const { code, text } = await run(env);
      assert.deepEqual(
        [code, /^ok \| 0 passed \| 0 failed \| [1-9]\d* ignored/m.test(text)],
        [0, true],
        text,
      );
      assert.match(text, /\(ignored: namespaces and overlays are not allowed here\)/);
    }
  },
});
