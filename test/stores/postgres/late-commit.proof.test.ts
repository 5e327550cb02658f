import { expect, test } from 'vitest';
import { Line } from '../../../prove/postgres/proxy.ts';
import { postgresSchema } from '../../support/postgres/schema.ts';
import { statusOfOutcome, TestStore } from '../../support/stores.ts';

/** A store waits 3 seconds for an answer of its server, and 4 for a batch. */
test.concurrent.each([3300, 4500])(
  'a commit that arrives %i ms late is not committed as well: its use is given once',
  async (lateMs) => {
    const { url, remove } = await postgresSchema();
    await using line = await Line.start(() => Number(new URL(url).port));
    const overLine = new URL(url);
    overLine.port = String(line.port);
    await using gate = await TestStore.openAt({ url: overLine.href });
    const [single, multi] = [await gate.mint(), await gate.mint({ kind: 'permanent' })];
    await gate.scan(gate.request(multi.id));
    let held = 0;
    line.onSent = (data, wire) => {
      if (!data.includes('COMMIT\0') || held > 0) return;
      wire.hold(lateMs);
      held += 1;
    };

    const scanned = await gate
      .scan(gate.request(single.id), gate.request(multi.id))
      .then((outcomes) => outcomes.map(statusOfOutcome), String);
    await new Promise((resolve) => setTimeout(resolve, 5000 - lateMs));

    const log = await gate.store.readLog({ limit: 10 });
    const uses = log.filter(({ status }) => status === 'consumed').length - 1;
    expect(held).toBe(1);
    // Granted and registered once, or told that nothing was changed.
    if (Array.isArray(scanned)) expect([scanned, uses]).toEqual([['consumed', 'consumed'], 2]);
    else expect([scanned, uses]).toEqual([expect.stringContaining('Nothing was changed'), 0]);
    expect((await gate.store.verify()).problems).toEqual([]);
    await remove();
  },
);
