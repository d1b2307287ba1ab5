import assert from "node:assert/strict";

/* The lines for cron of docs/backup.md. */

export const WITHOUT_TOKEN = "# /etc/cron.d/eventstore-backup";
export const WITH_TOKEN = "# /etc/cron.d/eventstore-backup, with the server's tokens";

/** Minute, hour, day, month, weekday, user. */
const FIELDS_BEFORE_COMMAND = 6;

/** The user and the command of the line in a block of a page. */
export function cronCommand(block: string): { readonly user: string; readonly command: string } {
  const [, line, rest] = block.split("\n");
  assert.equal(rest, "", "cron knows no continued lines");
  const words = line!.split(" ");
  const command = words.slice(FIELDS_BEFORE_COMMAND).join(" ");
  // In a command, cron makes a line break of a percent sign.
  assert.ok(!command.includes("%"), command);
  return { user: words[FIELDS_BEFORE_COMMAND - 1]!, command };
}
