import { expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

/** The ways to make several tickets by a request. */
const WAYS: Record<string, (owner: AdminClient, event: string) => Promise<{ status: number }>> = {
  'POST /tickets': (owner, event) => owner.post('/tickets', { event, type: 'single', count: 2 }),
  'POST /tickets/from-list': (owner, event) =>
    owner.request('POST', `/tickets/from-list?event=${event}`, 'Vorname\nAda\nBob\n', {
      'content-type': 'text/csv',
    }),
  'POST /tickets/import': (owner, event) => {
    const ids = ['a', 'b'].map((letter) => `tkt_${event}_${letter.repeat(20)}`);
    return owner.request('POST', '/tickets/import', `ticketId\n${ids.join('\n')}\n`, {
      'content-type': 'text/csv',
    });
  },
};

test('tickets that are made together are a batch, whoever makes them, and are cancelled by it', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  for (const [way, make] of Object.entries(WAYS)) {
    const event = (await owner.post('/events', { name: way })).json.id;
    expect((await make(owner, event)).status, way).toBeLessThan(202);
    const { items } = (await owner.get(`/tickets?event=${event}`)).json;
    const [batch, ...others] = new Set<string>(items.map((item: { batch: string }) => item.batch));
    expect(batch, way).toMatch(/^bat_/);
    expect(others, way).toEqual([]);
    const cancelled = await owner.post('/tickets/cancel', { batch });
    expect(cancelled.json, way).toMatchObject({ changed: 2, kept: 0 });
  }
});
