import { auditTest } from "./quick_audit.ts";

await auditTest(
  "what servers of each edition do is linearizable, as Porcupine says too",
  ["go"],
  "main.ts",
  "quick",
  "--only",
  "linearizability",
  "--rounds",
  "5",
);
