/** The program that opens a link, by operating system. */
const OPENERS: Readonly<Record<string, string>> = { darwin: "open", linux: "xdg-open" };

/**
 * Opens a link in the user's browser. Until the opening program ends, other users of the machine can see the link,
 * and the key in it, in the list of processes.
 * @returns false when no program can open links
 */
export async function openBrowser(url: string): Promise<boolean> {
  const opener = OPENERS[Deno.build.os];
  if (opener === undefined) return false;
  try {
    const command = new Deno.Command(opener, { args: [url], stdin: "null", stdout: "null", stderr: "null" });
    return (await command.output()).success;
  } catch {
    return false;
  }
}
