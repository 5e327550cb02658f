import { expect, test } from 'vitest';
import { noteBackup } from '../../src/features/server/operations.ts';
import { DAY_MS } from '../../src/kit/durations.ts';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

async function backupFor(client: AdminClient) {
  return (await client.get('/server')).json.backup;
}

test('owners of the only organisation are told of the last backup, and nobody else', async () => {
  await using service = await TestService.start({ store: 'sqlite', ticketsPerState: 0 });
  const owner = await AdminClient.signedIn(service);
  expect(await backupFor(owner)).toEqual({ at: null, overdue: false });
  for (let index = 0; index < 100; index += 1) await service.mint();
  expect(await backupFor(owner)).toEqual({ at: null, overdue: true });

  const at = service.clock.nowMs;
  await noteBackup(service.store, at);
  expect(await backupFor(owner)).toEqual({ at: new Date(at).toISOString(), overdue: false });
  service.clock.advance(7 * DAY_MS);
  const later = await AdminClient.signedIn(service);
  expect((await backupFor(later)).overdue).toBe(false);
  service.clock.advance(1);
  expect((await backupFor(later)).overdue).toBe(true);

  const operator = await AdminClient.signedIn(service, 'operator');
  expect(await backupFor(operator)).toBeNull();
  await service.administration.createOrganisation('Second');
  expect(await backupFor(later)).toBeNull();
});

test('a store in memory has no backup to tell of', async () => {
  await using service = await TestService.start({ store: 'memory' });
  expect(await backupFor(await AdminClient.signedIn(service))).toBeNull();
});
