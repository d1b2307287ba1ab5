import { join } from "node:path";

/**
 * The files that git tracks, by path from the root. Without git, or in a directory that git does not know, such as an
 * unpacked archive: all files but those that `.gitignore` names.
 */
export async function trackedFiles(root: string): Promise<readonly string[]> {
  try {
    const git = new Deno.Command("git", { args: ["ls-files", "-z"], cwd: root, stderr: "null" });
    const { success, stdout } = await git.output();
    const files = new TextDecoder().decode(stdout).split("\0").slice(0, -1);
    if (success && files.length > 0) return files;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return filesBelow(root, "", ignoredBy(await Deno.readTextFile(join(root, ".gitignore"))));
}

function filesBelow(root: string, directory: string, isIgnored: (path: string) => boolean): string[] {
  return [...Deno.readDirSync(join(root, directory))].flatMap(({ name, isDirectory }) => {
    const path = directory + name;
    if (path === ".git" || isIgnored(path)) return [];
    return isDirectory ? filesBelow(root, `${path}/`, isIgnored) : [path];
  });
}

/** Knows the forms that our `.gitignore` has: `/path` from the root, `name` and `*.ending` anywhere. */
function ignoredBy(text: string): (path: string) => boolean {
  const lines = text.split("\n").filter((line) => line !== "").map((line) => line.replace(/\/$/, ""));
  return (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return lines.some((line) =>
      line.startsWith("/")
        ? line.slice(1) === path
        : line.startsWith("*")
        ? name.endsWith(line.slice(1))
        : line === name
    );
  };
}
