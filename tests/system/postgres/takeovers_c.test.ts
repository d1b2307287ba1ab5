import { takeoverTests } from "./support/takeover_tests.ts";

await takeoverTests("C");
