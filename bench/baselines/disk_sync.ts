import { measureLoop, type Round, type Timing } from "../measure.ts";

const APPENDED = new Uint8Array(4096).fill(1);

/** Measures the least that the disk needs for a commit: 4 KiB appended to a file and made durable. */
export async function diskSync(directory: string, timing: Timing): Promise<Round> {
  using file = Deno.openSync(`${directory}/disk_sync`, { append: true, create: true });
  return await measureLoop(() => {
    file.writeSync(APPENDED);
    file.syncDataSync();
    return 0;
  }, timing);
}
