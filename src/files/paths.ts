/*
 * Paths as texts. `node:path` has such functions, but loading it takes 1 MB and 4 ms in every thread.
 */

/**
 * Returns the path of a name in a directory. Unlike `join` it keeps `..`, which after a link means another directory.
 */
export function pathIn(directory: string, name: string): string {
  return `${directory.replace(/\/+$/, "")}/${name}`;
}

/** Returns the directory of a path's last part: "/a" of "/a/b" and of "/a/b/", "/" of "/a" and "." of "a". */
export function directoryOf(path: string): string {
  const directory = path.replace(/\/*[^/]*\/*$/, "");
  return directory || (path.startsWith("/") ? "/" : ".");
}

/** Returns the last part of a path: "b" of "/a/b". */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the path from the root, without "." and "..", as if there were no links. */
export function absolutePath(path: string): string {
  const names: string[] = [];
  for (const name of (path.startsWith("/") ? path : `${Deno.cwd()}/${path}`).split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/**
 * Returns the path from the root, for messages, since the reader may not know the working directory. Unlike
 * `absolutePath` it keeps "..", so it still leads to the same file.
 */
export function fromRoot(path: string): string {
  return path.startsWith("/") ? path : pathIn(Deno.cwd(), path.replace(/^(\.\/+)+/, ""));
}
