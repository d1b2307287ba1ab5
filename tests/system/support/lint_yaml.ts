import { join } from "node:path";
import { run } from "./apt.ts";
import type { DebianProgram } from "./debian_program.ts";

const RULES = "{extends: default, rules: {line-length: {max: 120}, document-start: disable}}";

/** The findings of Debian's yamllint about a file. */
export async function lintYaml(yamllint: DebianProgram, path: string): Promise<string> {
  const packages = join(yamllint.root, "usr/lib/python3/dist-packages");
  const lint = ["python3", "-m", "yamllint", "--strict", "-d", RULES, path];
  return await run("env", [`PYTHONPATH=${packages}`, ...lint]);
}
