import assert from "node:assert/strict";
import { matches } from "../../src/model/query.ts";
import { isInTimeRange } from "../../src/model/time_range.ts";
import { drawQueries, drawRead } from "../../audit/queries/draw_read.ts";
import { Population } from "../../audit/queries/population.ts";
import { Random } from "../../audit/workload/random.ts";

const EVENTS = 300;
const QUERIES = 200;

function populationOf(random: Random): Population {
  const population = new Population(random);
  for (let i = 0; i < EVENTS; i++) {
    if (i === EVENTS / 2) population.renew();
    // Several events share a time, and sometimes the clock goes back.
    population.add(population.drawKind(), 1000 + Math.floor(i / 5) - (i % 50 === 0 ? 20 : 0));
  }
  return population;
}

Deno.test("the audit expects of a query the matches that the rule gives for each single event", () => {
  const random = new Random(1);
  const population = populationOf(random);
  const sequences = Array.from({ length: EVENTS }, (_, i) => i + 1);
  let found = 0;
  for (const query of drawQueries(population, random, QUERIES)) {
    const read = drawRead(query, population, random, true);
    const { afterSequence, beforeSequence = Infinity, backwards, time, limit } = read;
    const expected = sequences.filter((sequence) =>
      sequence > afterSequence && sequence < beforeSequence &&
      matches(query, population.kinds[population.kindOf(sequence)]!) &&
      (time === undefined || isInTimeRange(time, population.timeMicrosOf(sequence)))
    );
    if (backwards === true) expected.reverse();
    assert.deepEqual(population.page(read), {
      sequences: expected.slice(0, limit),
      hasMore: expected.length > limit,
    });
    found += Number(expected.length > 0);
  }
  assert.ok(found > QUERIES / 4, `${found} queries that find something`);
});

Deno.test("some events are frequent, others are rare", () => {
  const population = populationOf(new Random(2));
  const counts = new Map<number, number>();
  for (let sequence = 1; sequence <= EVENTS; sequence++) {
    const kind = population.kindOf(sequence);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  assert.ok(Math.max(...counts.values()) > EVENTS / 50);
  assert.ok([...counts.values()].includes(1));
});
