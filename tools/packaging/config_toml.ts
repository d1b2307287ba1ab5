import { defaultConfigText } from "../../src/config/print.ts";
import { BACKUP_DIRECTORY, DATA_DIRECTORY, TOKENS_PATH } from "./paths.ts";

const HEAD = `# Configuration of the eventstore services; see eventstore.toml(5).
# Every setting is at its default, except for the two directories. To change one, remove the # before its key.
# A key without an edition applies to all three.
# A value in this file wins over the environment variable, which wins over the default.
# Tokens are better kept in ${TOKENS_PATH}, which only root can read:
#   SERVICE_AUTH_TOKEN=...
#   SERVICE_BACKUP_SOURCE_TOKEN=...
`;

/** The configuration file of the Debian package: the starter file with the directories of the package. */
export function packagedConfigText(): string {
  const [, ...rest] = defaultConfigText().split(/^(?=\n\[)/m);
  const text = HEAD + rest.join("");
  return replaceOnce(
    replaceOnce(text, '#dataDir = "data"', `dataDir = "${DATA_DIRECTORY}"`),
    '#dataDir = "backup"',
    `dataDir = "${BACKUP_DIRECTORY}"`,
  );
}

function replaceOnce(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`the starter file does not have ${from} exactly once`);
  return text.replace(from, to);
}
