import { backupProgram, initProgram, type Program, serverProgram } from "../src/config/programs.ts";

/** The programs of the package. */
export const programs: readonly Program[] = [serverProgram, initProgram, backupProgram];
