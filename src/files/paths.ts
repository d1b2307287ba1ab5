/*
 * Paths as texts. `node:path` has such functions, but loading it takes 1 MB and 4 ms in every thread.
 */

/** The path of a name in a directory. Unlike `join` it keeps `..`, which after a link means another place. */
export function pathIn(directory: string, name: string): string {
  return `${directory.replace(/\/+$/, "")}/${name}`;
}

/** The directory that a path names something in: "/a" of "/a/b" and of "/a/b/", "/" of "/a" and "." of "a". */
export function directoryOf(path: string): string {
  const directory = path.replace(/\/*[^/]*\/*$/, "");
  return directory || (path.startsWith("/") ? "/" : ".");
}

/** What a path names in its directory: "b" of "/a/b". */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The path from the root, without "." and "..", as if there were no links. */
export function absolutePath(path: string): string {
  const names: string[] = [];
  for (const name of (path.startsWith("/") ? path : `${Deno.cwd()}/${path}`).split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/**
 * The path from the root, for messages: the reader may not know the working directory. Unlike `absolutePath` it keeps
 * "..", so it still leads to the same place.
 */
export function fromRoot(path: string): string {
  return path.startsWith("/") ? path : pathIn(Deno.cwd(), path.replace(/^(\.\/+)+/, ""));
}
