import type { Bug } from "./bug.ts";
import { CLIENT_BUGS } from "./client_bugs.ts";
import { CLUSTER_BUGS } from "./cluster_bugs.ts";
import { CONTENT_BUGS } from "./content_bugs.ts";
import { DURABILITY_BUGS } from "./durability_bugs.ts";
import { FAILOVER_BUGS } from "./failover_bugs.ts";
import { KEY_BUGS } from "./key_bugs.ts";
import { LOST_ANSWER_BUGS } from "./lost_answer_bugs.ts";
import { POSTGRES_BUGS } from "./postgres_bugs.ts";
import { PROOF_BUGS } from "./proof_bugs.ts";
import { READ_BUGS } from "./read_bugs.ts";
import { RULE_BUGS } from "./rule_bugs.ts";
import { SECURITY_BUGS } from "./security_bugs.ts";
import { SUBJECT_BUGS } from "./subject_bugs.ts";
import { TREE_BUGS } from "./tree_bugs.ts";
import { UPKEEP_BUGS } from "./upkeep_bugs.ts";
import { WITHIN_BUGS } from "./within_bugs.ts";

export const BUGS: readonly Bug[] = [
  ...DURABILITY_BUGS,
  ...CONTENT_BUGS,
  ...RULE_BUGS,
  ...READ_BUGS,
  ...UPKEEP_BUGS,
  ...CLIENT_BUGS,
  ...POSTGRES_BUGS,
  ...FAILOVER_BUGS,
  ...CLUSTER_BUGS,
  ...LOST_ANSWER_BUGS,
  ...SECURITY_BUGS,
  ...WITHIN_BUGS,
  ...KEY_BUGS,
  ...SUBJECT_BUGS,
  ...PROOF_BUGS,
  ...TREE_BUGS,
];
