import { measureLoop, type Round, type Timing } from "../measure.ts";

const APPENDED = new Uint8Array(4096).fill(1);

/** What the disk takes at least for one commit: 4 KiB appended to a file and made durable. */
export async function diskSync(directory: string, timing: Timing): Promise<Round> {
  using file = Deno.openSync(`${directory}/disk_sync`, { append: true, create: true });
  return await measureLoop(() => {
    file.writeSync(APPENDED);
    file.syncDataSync();
    return 0;
  }, timing);
}
