import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/kit/random.ts';
import { GateClients } from '../../support/postgres/gate-clients.ts';
import { contradictions } from '../../support/postgres/history.ts';
import { Instances } from '../../support/postgres/instances.ts';
import { execute, postgresSchema } from '../../support/postgres/schema.ts';

const SEED = Number(process.env['TICKETSCAN_TEST_SEED'] ?? randomInt(2 ** 31));
/** Tells our connections from those of other tests on the same server. */
const NAME = `chaos_${process.pid}`;
const ROUNDS = Number(process.env['TICKETSCAN_TEST_ROUNDS'] ?? 8);

test('two instances, 64 clients, instances and connections killed at random: no use twice, none lost', {
  timeout: 60_000 + ROUNDS * 5000,
}, async () => {
  console.log(`seed ${SEED}`);
  const random = seededRandom(SEED);
  const schema = await postgresSchema();
  try {
    await using instances = await Instances.start(`${schema.url}&application_name=${NAME}`, 2);
    const { key, tickets } = await instances.seed(20);
    const clients = new GateClients(key, tickets, () => instances.urls, random);
    clients.start(64);
    await clients.nextAdmission(10_000);
    for (let round = 0; round < ROUNDS; round += 1) {
      await sleep(100 + random() * 300);
      if (random() < 0.5) {
        const index = Math.floor(random() * 2);
        await instances.kill(index);
        await sleep(random() * 200);
        await instances.restart(index);
      } else {
        await terminateConnections(random() < 0.5 ? 1 : 0.5);
      }
    }
    await clients.nextAdmission(10_000);
    await clients.stop();

    expect(contradictions(clients.history, await clients.truth())).toEqual([]);
    expect(clients.admitted).toBeGreaterThan(200);
    expect(JSON.parse((await instances.run('audit', '--json')).out)).toMatchObject({
      ok: true,
      problems: [],
    });
  } finally {
    await schema.remove();
  }
});

/** @param share of the service's connections, from 0 to 1 */
async function terminateConnections(share: number): Promise<void> {
  await execute(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${NAME}' AND random() < ${share}`,
  );
}
