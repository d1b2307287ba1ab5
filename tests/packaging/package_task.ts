/** Runs `deno task package`. */
export async function runPackageTask(
  args: readonly string[],
): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "package", ...args],
    cwd: new URL("../../", import.meta.url),
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}
