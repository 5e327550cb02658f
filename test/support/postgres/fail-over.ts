import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../../src/kit/random.ts';
import { PostgresCluster } from './cluster.ts';
import { GateClients } from './gate-clients.ts';
import { contradictions } from './history.ts';
import { Instances } from './instances.ts';
import { PRIMARY, startStandby, waitForStandby } from './replication.ts';

export interface FailOverReport {
  /** From the promotion to the first admission that began after it, by round, milliseconds. */
  readonly backAfterMs: readonly number[];
  readonly requests: number;
  readonly admitted: number;
  readonly unknown: number;
  readonly problems: readonly string[];
}

export interface FailOverWish {
  readonly rounds: number;
  readonly clients: number;
  readonly seed: number;
  readonly onRound?: (round: number, backAfterMs: number) => void;
}

const BACK_WITHIN_MS = 20_000;
const HELD_BACK_MS = 150;

/**
 * Two instances on a primary and a synchronous standby, under load: the primary is killed, the standby promoted, and a new
 * standby made of it, again and again. Then the clients' own history is compared with what the service says.
 */
export async function proveFailOver({
  rounds,
  clients,
  seed,
  onRound,
}: FailOverWish): Promise<FailOverReport> {
  const random = seededRandom(seed);
  const ports = await PostgresCluster.freePorts(2);
  let primary = await PostgresCluster.start(PRIMARY, ports[0]);
  let standby = primary;
  try {
    standby = await startStandby(primary, ports[1]);
    await waitForStandby(primary);
    const store = `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;
    await using instances = await Instances.start(store, 2);
    const { key, tickets } = await instances.seed(40);
    const gates = new GateClients(key, tickets, () => instances.urls, random);
    gates.start(clients);
    const backAfterMs: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await gates.nextAdmission(BACK_WITHIN_MS);
      await sleep(300 + random() * 700);
      // What is acknowledged from here on without the standby would be lost.
      primary.holdBackFromStandby();
      await sleep(HELD_BACK_MS);
      primary.kill();
      await standby.promote();
      const backAfter = await gates.nextAdmission(BACK_WITHIN_MS);
      backAfterMs.push(backAfter);
      onRound?.(round, backAfter);
      const lost = primary;
      primary = standby;
      lost.remove();
      if (round === rounds) break;
      standby = await startStandby(primary, lost.port);
      await waitForStandby(primary);
    }
    await gates.stop();
    const problems = contradictions(gates.history, await gates.truth());
    const audit = await instances.run('audit');
    if (audit.code !== 0) problems.push(`ticketscan audit: ${audit.out}${audit.err}`);
    const unknown = gates.history.filter(({ answer }) => answer.kind === 'unknown').length;
    return {
      backAfterMs,
      requests: gates.history.length,
      admitted: gates.admitted,
      unknown,
      problems,
    };
  } finally {
    for (const cluster of [primary, standby]) await cluster[Symbol.asyncDispose]();
  }
}
