import type { Evidence } from "./evidence.ts";
import { faultsOfCalls } from "./check_calls.ts";
import { faultsOfDecisions } from "./check_decisions.ts";
import { faultsOfFollowers, faultsOfProjectors } from "./check_followers.ts";
import { faultsOfForks } from "./check_forks.ts";
import { faultsOfPages } from "./check_pages.ts";

/** The maximum number of faults of one kind that are listed. */
const FAULTS_MAX = 6;

/**
 * Compares the answers that the clients of a round received with the histories of all stores that clients saw.
 * @returns the faults, in words; empty when there are none
 */
export function faultsOfRound(evidence: Evidence): string[] {
  const { observations } = evidence;
  return [
    observations.histories.faults,
    observations.faults,
    faultsOfForks(evidence),
    faultsOfCalls(evidence),
    faultsOfDecisions(evidence),
    faultsOfPages(evidence),
    faultsOfFollowers(evidence),
    faultsOfProjectors(evidence),
  ].flatMap((faults) => faults.slice(0, FAULTS_MAX));
}
