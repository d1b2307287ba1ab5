import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { NOBODY, type RunOptions, StandIn } from "./stand_in.ts";

/* The directory where a self-extracting executable unpacks itself, and the owners that it trusts. */

const PRINT_PLACE = ["sh", "-c", 'printf %s "${STAND_IN_RUNTIME%/*/*}"'];
const OTHER = 12345;
const USER = Deno.uid() === 0 ? NOBODY : Deno.uid()!;

/** Starts with this environment, as a user that is not root. Returns the directory of the unpacked program. */
async function placeOf(standIn: StandIn, env: Readonly<Record<string, string>>): Promise<string> {
  const ended = await standIn.run(PRINT_PLACE, { env, asNobody: true });
  assert.deepEqual([ended.code, ended.stderr], [0, ""], ended.stderr);
  return ended.stdout;
}

async function assertRejected(standIn: StandIn, options: RunOptions, ...expected: RegExp[]): Promise<void> {
  const ended = await standIn.run(PRINT_PLACE, { asNobody: true, ...options });
  assert.deepEqual([ended.code, ended.stdout], [1, ""]);
  for (const line of ended.stderr.trimEnd().split("\n")) assert.match(line, /^eventstore-server: /);
  for (const pattern of expected) assert.match(ended.stderr, pattern);
}

interface Places {
  readonly chosen: string;
  readonly xdg: string;
  readonly home: string;
  readonly tmp: string;
}

function makePlaces(standIn: StandIn): Places {
  const make = (name: string): string => standIn.makeDirectory(name, 0o755, { uid: USER });
  return { chosen: make("chosen"), xdg: make("xdg"), home: make("home"), tmp: make("tmp") };
}

Deno.test("EVENTSTORE_CACHE_DIR comes first, then XDG_CACHE_HOME, then HOME, and last TMPDIR", async () => {
  using standIn = new StandIn();
  const { chosen, xdg, home, tmp } = makePlaces(standIn);
  const env = { EVENTSTORE_CACHE_DIR: chosen, XDG_CACHE_HOME: xdg, HOME: home, TMPDIR: tmp };
  assert.equal(await placeOf(standIn, env), chosen);
  assert.equal(await placeOf(standIn, { ...env, EVENTSTORE_CACHE_DIR: "" }), join(xdg, "eventstore"));
  assert.equal(await placeOf(standIn, { HOME: home, TMPDIR: tmp }), join(home, ".cache/eventstore"));
  assert.equal(await placeOf(standIn, { TMPDIR: tmp }), join(tmp, `eventstore-${USER}`));
  assert.equal(
    await placeOf(standIn, { XDG_CACHE_HOME: "relative", HOME: "/", TMPDIR: tmp }),
    join(tmp, `eventstore-${USER}`),
  );
});

Deno.test("a home that is missing, read-only or another user's is passed over and left as it is", async () => {
  using standIn = new StandIn();
  const { tmp } = makePlaces(standIn);
  const readOnly = standIn.makeDirectory("read-only", 0o555, { uid: USER });
  const missing = join(standIn.directory, "missing");
  const homes = [readOnly, missing, ...Deno.uid() === 0 ? [standIn.makeDirectory("another's", 0o777)] : []];
  for (const home of homes) {
    assert.equal(await placeOf(standIn, { HOME: home, TMPDIR: tmp }), join(tmp, `eventstore-${USER}`));
  }
  assert.deepEqual(
    homes.filter((home) => home !== missing).map((home) => [...Deno.readDirSync(home)].length),
    [0, ...homes.slice(2).map(() => 0)],
  );
  assert.throws(() => Deno.statSync(missing), Deno.errors.NotFound);
});

Deno.test({
  name: "a cache home that is another user's is passed over, whatever lies in it",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    using standIn = new StandIn();
    const { tmp } = makePlaces(standIn);
    const xdg = standIn.makeDirectory("another's", 0o755, { uid: OTHER });
    const waiting = standIn.makeDirectory("another's/eventstore", 0o755, { uid: USER });
    assert.equal(
      await placeOf(standIn, { XDG_CACHE_HOME: xdg, TMPDIR: tmp }),
      join(tmp, `eventstore-${USER}`),
    );
    assert.deepEqual([...Deno.readDirSync(waiting)], []);
  },
});

Deno.test("a directory that another user could replace is not trusted", async () => {
  using standIn = new StandIn();
  const open = standIn.makeDirectory("open", 0o777);
  // The owner of a sticky directory can replace its files nevertheless.
  const others = Deno.uid() === 0
    ? [0o755, 0o1777].map((mode) => standIn.makeDirectory(`another's ${mode}`, mode, { uid: OTHER }))
    : [];
  for (const place of [open, ...others]) {
    const below = standIn.makeDirectory(join(basename(place), "below"), 0o755, { uid: USER });
    for (const cache of [join(below, "cache"), join(below, "deeper/cache")]) {
      await assertRejected(
        standIn,
        { env: { EVENTSTORE_CACHE_DIR: cache } },
        new RegExp(`cache: lies in ${place}, where another user can replace it`),
      );
    }
  }
  // For a link, its target counts.
  Deno.symlinkSync(join(open, "below"), join(standIn.directory, "link"));
  const linked = join(standIn.directory, "link/cache");
  await assertRejected(standIn, { env: { EVENTSTORE_CACHE_DIR: linked } }, /lies in .*open, where/);

  const sticky = standIn.makeDirectory("sticky", 0o1777);
  assert.equal(await placeOf(standIn, { TMPDIR: sticky }), join(sticky, `eventstore-${USER}`));
});

Deno.test("a full cache directory that cannot be written to is used", async () => {
  using standIn = new StandIn();
  const { chosen, tmp } = makePlaces(standIn);
  const env = { EVENTSTORE_CACHE_DIR: chosen, TMPDIR: tmp };
  await placeOf(standIn, env);
  const { runtime, module } = StandIn.unpacked(chosen);
  for (const path of [join(runtime, ".."), join(module, ".."), chosen]) Deno.chmodSync(path, 0o555);
  assert.equal(await placeOf(standIn, env), chosen);
});

Deno.test("a damaged one that cannot be written to is passed over for the next place", async () => {
  using standIn = new StandIn();
  const { xdg, tmp } = makePlaces(standIn);
  const env = { XDG_CACHE_HOME: xdg, TMPDIR: tmp };
  const { runtime } = StandIn.unpacked(await placeOf(standIn, env));
  Deno.truncateSync(runtime, 5);
  Deno.chmodSync(join(runtime, ".."), 0o555);
  assert.equal(await placeOf(standIn, env), join(tmp, `eventstore-${USER}`));
});

Deno.test({
  name: "what root has unpacked serves every user, and root takes nothing from them",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    using standIn = new StandIn();
    const { chosen } = makePlaces(standIn);
    const env = { EVENTSTORE_CACHE_DIR: standIn.cache };
    assert.equal((await standIn.run(PRINT_PLACE, { env })).code, 0);
    assert.equal(await placeOf(standIn, env), standIn.cache);
    await assertRejected(
      standIn,
      { env: { EVENTSTORE_CACHE_DIR: chosen }, asNobody: false },
      /belongs to another user/,
    );
    const ofRoot = standIn.makeDirectory("of another user", 0o755, { uid: OTHER });
    await assertRejected(standIn, { env: { EVENTSTORE_CACHE_DIR: ofRoot } }, /belongs to another user/);
  },
});

Deno.test("a directory that others can write to, or that is a symbolic link, is not trusted", async () => {
  using standIn = new StandIn();
  const { chosen } = makePlaces(standIn);
  for (const mode of [0o775, 0o757, 0o777, 0o1777]) {
    const cache = standIn.makeDirectory(`mode ${mode.toString(8)}`, mode, { uid: USER });
    await assertRejected(standIn, { env: { EVENTSTORE_CACHE_DIR: cache } }, /only its owner can write to/);
    assert.deepEqual([...Deno.readDirSync(cache)], []);
  }
  Deno.symlinkSync(chosen, join(standIn.directory, "link"));
  await assertRejected(
    standIn,
    { env: { EVENTSTORE_CACHE_DIR: join(standIn.directory, "link") } },
    /symbolic link/,
  );
  assert.deepEqual([...Deno.readDirSync(chosen)], []);
});

Deno.test("a directory that was waiting in TMPDIR under its name is not trusted either", async () => {
  using standIn = new StandIn();
  const { tmp } = makePlaces(standIn);
  const waiting = join(tmp, `eventstore-${USER}`);
  Deno.mkdirSync(waiting);
  Deno.chmodSync(waiting, 0o777);
  await assertRejected(standIn, { env: { TMPDIR: tmp } }, /eventstore-\d+: is not a directory/, /Tried:$/m);
});

Deno.test("when nothing can be written each place is named with its reason", async () => {
  using standIn = new StandIn();
  const shut = standIn.makeDirectory("shut", 0o555, { uid: USER });
  await assertRejected(
    standIn,
    { env: { XDG_CACHE_HOME: shut, HOME: shut, TMPDIR: shut } },
    /EVENTSTORE_CACHE_DIR/,
    /shut\/eventstore: .*Permission denied/,
    /shut\/\.cache\/eventstore: .*Permission denied/,
    /\/var\/cache\/eventstore: .*Permission denied/,
    /shut\/eventstore-\d+: .*Permission denied/,
  );
});
