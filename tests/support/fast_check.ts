import fc from "fast-check-itself";
import { testSeed } from "./test_seed.ts";

/*
 * fast-check, as every test imports it: with the seed of all tests. A failure prints it.
 */

fc.configureGlobal({ seed: testSeed() });

export default fc;
