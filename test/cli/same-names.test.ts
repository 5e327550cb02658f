import { expect, test } from 'vitest';
import { InProcess } from '../support/in-process.ts';

test('an event and an organisation are found by their names as people write them, and have no twins', async () => {
  await using folder = new InProcess();
  const event = await folder.json(['events', 'create', '--name', 'Hallenbad Süd']);
  for (const name of ['hallenbad süd', 'Hallenbad Sued', 'Hallen\u00adbad Sud', 'HALLENBAD  SÜD']) {
    const [ticket] = await folder.json(['mint', '--event', name, '--type', 'single']);
    expect(ticket.event).toBe(event.id);
    const { failure } = await folder.run(['events', 'create', '--name', name]);
    expect([name, failure]).toEqual([name, 'conflict']);
  }
  const renamed = await folder.json(['events', 'edit', event.id, '--name', 'Hallenbad SÜD']);
  expect(renamed.name).toBe('Hallenbad SÜD');

  await folder.json(['organisations', 'create', '--name', 'Bäder GmbH']);
  const { failure } = await folder.run(['organisations', 'create', '--name', 'Baeder  GmbH']);
  expect(failure).toBe('conflict');
});
