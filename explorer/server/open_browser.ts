/** What opens a link, by the system. */
const OPENERS: Readonly<Record<string, string>> = { darwin: "open", linux: "xdg-open" };

/**
 * Opens a link in the browser of whoever sits here. Until that program ends, other users of the machine can see the
 * link in the list of processes, and the key in it.
 * @returns false when there is nothing that could
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
