import { expect, test } from 'vitest';
import { isDocumented } from './support/answers.ts';
import { RawConnection } from './support/connection.ts';
import { requestCases } from './support/corpus.ts';
import { CorpusService } from './support/service.ts';

const cases = requestCases.filter(({ group }) => group === 'time-limits');

test('requests that stop in the middle, wherever they stop, are given up and take no use; others are served meanwhile', async () => {
  await using service = await CorpusService.start({ timeoutMs: 300 });
  const before = await service.state();
  const unfinished = cases.map(async ({ bytes, says, expect: names }) => {
    const connection = await RawConnection.open(service.port);
    const answer = await connection.patientExchange(bytes);
    connection.close();
    return names.some((name) => isDocumented(name, answer))
      ? undefined
      : `${says}: ${answer?.status}`;
  });
  const healthy = await fetch(`${service.url}/healthz`);
  const failures = (await Promise.all(unfinished)).filter((one) => one !== undefined);

  expect(healthy.status).toBe(200);
  expect(cases.length).toBeGreaterThan(50);
  expect(failures).toEqual([]);
  expect(await service.state()).toBe(before);
  expect(await service.store.readLog({ limit: 1 })).toEqual([]);
});
