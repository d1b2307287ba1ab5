import { numberIn } from "../../src/store/postgres/protocol/cells.ts";
import { eventually, pause } from "../../tests/support/eventually.ts";
import type { Random } from "../workload/random.ts";
import type { Failover } from "./evidence.ts";
import { type Host, Hosts } from "./hosts.ts";
import { microseconds } from "./observed.ts";
import type { ChainPlan, RoundPlan } from "./plan.ts";

/** How long a host that was cut off keeps running, and how long it can be reached again. */
const ZOMBIE_MILLISECONDS = 700;

/** How long the third host may try to follow the new primary before it gets a copy. */
const FOLLOW_SECONDS = 2;

/** The operations of a round on the hosts, with Patroni or without. */
export interface Failing extends AsyncDisposable {
  /** The ports of the three hosts, for the servers. */
  readonly ports: readonly number[];
  /** Runs before the clients begin. */
  prepare(plan: RoundPlan): Promise<void>;
  /** From now on acknowledged writes may be lost. For a failover without loss this does nothing. */
  beginLoss(): void;
  /** The primary fails, and another host takes over. */
  strike(onStruck: () => void): Promise<Omit<Failover, "isKnownWhole">>;
  /** Brings all hosts back; the replicas follow the primary. Clients continue meanwhile. */
  mend(): Promise<void>;
  /** Waits until all replicas have received everything. */
  settle(): Promise<void>;
}

/** Three hosts without Patroni: the audit promotes another host, as an operator does. */
export class StreamingFailover implements Failing {
  readonly #hosts: Hosts;
  readonly #schema: string;
  readonly #random: Random;
  readonly #hasFronts: boolean;
  #plan!: RoundPlan;
  #old!: Host;
  #target!: Host;
  #third!: Host;

  private constructor(hosts: Hosts, schema: string, random: Random, hasFronts: boolean) {
    this.#hosts = hosts;
    this.#schema = schema;
    this.#random = random;
    this.#hasFronts = hasFronts;
  }

  static async start(schema: string, random: Random, { hasFronts }: ChainPlan): Promise<StreamingFailover> {
    return new StreamingFailover(await Hosts.start(), schema, random, hasFronts);
  }

  get ports(): readonly number[] {
    return this.#hosts.all.map(({ front, cluster }) => this.#hasFronts ? front.port : cluster.port);
  }

  prepare(plan: RoundPlan): Promise<void> {
    const [first, second] = this.#hosts.replicas;
    const [target, third] = this.#random.chance(0.5) ? [first!, second!] : [second!, first!];
    [this.#plan, this.#old, this.#target, this.#third] = [plan, this.#hosts.primary, target, third];
    [target, third].forEach((host, i) => host.feed.delay = () => this.#random.below(plan.lag[i]! + 1));
    this.#old.waitFor(...plan.isSynchronous ? [target] : []);
    if (plan.isThirdStalled) third.feed.stall();
    return Promise.resolve();
  }

  beginLoss(): void {
    if (this.#plan.isLossy) this.#target.feed.stall();
  }

  async strike(onStruck: () => void): Promise<Omit<Failover, "isKnownWhole">> {
    const struckAt = microseconds();
    await this.#end();
    onStruck();
    this.#target.feed.leadTo(undefined);
    await this.#hosts.settled(this.#target);
    const kept = await this.#headOf(this.#target);
    await this.#hosts.promote(this.#target);
    if (!this.#plan.isOrphaned) this.#third.follow(this.#target);
    return { isLossy: this.#plan.isLossy, kept, struckAt, promotedAt: microseconds() };
  }

  async mend(): Promise<void> {
    const isAlive = this.#old.cluster.isRunning;
    if (isAlive) await pause(ZOMBIE_MILLISECONDS);
    if (isAlive && this.#plan.returns) {
      this.#old.front.leadTo(this.#old.cluster.port);
      await pause(ZOMBIE_MILLISECONDS);
    }
    await this.#old.cluster.end("SIGKILL");
    await this.#old.copy(this.#target);
    this.#old.front.leadTo(this.#old.cluster.port);
    await this.#letFollow(this.#third);
  }

  async settle(): Promise<void> {
    for (const replica of this.#hosts.replicas) {
      replica.feed.delay = () => 0;
      replica.feed.resume();
      await this.#hosts.caughtUp(replica);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hosts[Symbol.asyncDispose]();
  }

  async #end(): Promise<void> {
    const { end, isLossy } = this.#plan;
    const [old, target, third] = [this.#old, this.#target, this.#third];
    if (end === "stop") {
      // It waits for its replicas.
      if (isLossy) target.feed.leadTo(undefined);
      if (this.#plan.isThirdStalled) third.feed.leadTo(undefined);
      await old.cluster.end("SIGINT");
    } else if (end === "kill") await old.cluster.end("SIGKILL");
    else {
      if (end === "cutOff") old.front.leadTo(undefined);
      else old.front.stall();
      if (!isLossy) await this.#hosts.caughtUp(target, old);
    }
  }

  async #headOf(host: Host): Promise<number> {
    const [row] = await host.cluster.sql(`SELECT COALESCE(max(sequence), 0) FROM "${this.#schema}".event`);
    return numberIn(row![0]);
  }

  /**
   * Lets the third host follow the new primary. If it has more WAL than the new primary, it cannot, and gets a copy.
   */
  async #letFollow(third: Host): Promise<void> {
    third.follow(this.#target);
    const timeline = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer";
    const [row] = await this.#target.cluster.sql(`SELECT ${timeline}`);
    const sql = `SELECT FROM pg_stat_wal_receiver
      WHERE status = 'streaming' AND received_tli = ${numberIn(row![0])}`;
    try {
      await eventually(async () => {
        if ((await third.cluster.sql(sql)).length === 0) throw new Error(`${third.name} does not follow`);
      }, FOLLOW_SECONDS);
    } catch {
      await third.copy(this.#target);
    }
  }
}
