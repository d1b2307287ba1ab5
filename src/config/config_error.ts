/** An invalid configuration: one line per problem, all of them at once. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Flags or arguments that are invalid, or cannot be given together. */
export class UsageError extends ConfigError {}
