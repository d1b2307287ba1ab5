import { absolutePath } from "../files/paths.ts";

/** Devices that the runtime opens like files, and the path that a shell gives to the output of a command: `<(...)`. */
const OPEN_DEVICES = /^\/dev\/(null|zero|random|urandom|tty|fd\/\d+)$/;

/** Returns why a path is probably a mistake, and what to do; undefined when it is not. Reads no file. */
export function pathFault(path: string): string | undefined {
  if (path.startsWith("~")) {
    return 'must not begin with "~", which only a shell replaces: write the path from the root, as "/home/you/..."';
  }
  if (/^[a-z][a-z0-9+.-]*:\//i.test(path)) {
    return 'must be a path, not a URL: leave out what comes before the first "/"';
  }
  const place = absolutePath(path);
  if (/^\/(dev|proc|sys)(\/|$)/.test(place) && !OPEN_DEVICES.test(place)) {
    return "must not be below /dev, /proc or /sys, which the runtime keeps closed: choose another place";
  }
  return undefined;
}
