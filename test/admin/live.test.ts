import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { EventStream, showLive } from '../../src/features/log/live.ts';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';
import { fillLog } from './support/fill-log.ts';
import { sharedService } from './support/shared-service.ts';

interface LiveEvent {
  readonly event: string;
  readonly id: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came
  readonly data: any;
}

const at = sharedService();
const viewer = () => AdminClient.signedIn(at.service, 'viewer');
/** A card whose code may be scanned as often as one likes. */
const card = () => at.service.mint({ kind: 'permanent' });

/**
 * Reads the events of a live view until `count` came or the stream ended.
 * @param onOpen called when the view has begun, with its event `latest`
 */
async function readEvents(
  client: AdminClient,
  query: string,
  count: number,
  onOpen: () => Promise<unknown> = async () => {},
  { headers = {}, url = at.service.url }: { headers?: Record<string, string>; url?: string } = {},
): Promise<LiveEvent[]> {
  const stop = new AbortController();
  const response = await fetch(`${url}/admin/v1/log/live${query}`, {
    headers: { cookie: client.cookie ?? '', ...headers },
    signal: stop.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events: LiveEvent[] = [];
  let text = '';
  let opened = false;
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    events.push(...whole.flatMap(eventFrom));
    // The first sign of life comes when it is said where the view begins.
    if (!opened && (events.length > 0 || whole.some((one) => one.includes(': alive')))) {
      opened = true;
      void onOpen();
    }
    if (events.length >= count) break;
  }
  stop.abort();
  return events;
}

function eventFrom(text: string): LiveEvent[] {
  const found = /id: (\d+)\nevent: (\w+)\ndata: (.*)/.exec(text);
  return found
    ? [{ id: Number(found[1]), event: found[2] ?? '', data: JSON.parse(found[3] ?? '') }]
    : [];
}

const newest = async () => (await at.service.store.readLog({ limit: 1 }))[0]?.sequence ?? 0;

test('entries name their guests, but none of another organisation', async () => {
  const { service } = at;
  const { id } = await service.administration.organisations.create('Guests elsewhere');
  const event = await service.administration.events.create('Elsewhere', id);
  const own = await service.mint({ firstName: 'Ada', lastName: 'Byron' });
  const foreign = await service.mint({ eventId: event.id, firstName: 'Not', lastName: 'Yours' });
  await service.rest('consume', own);

  const [latest, ...scans] = await readEvents(await viewer(), '', 3, async () => {
    await service.rest('consume', own);
    await service.rest('consume', foreign);
  });

  const guest = { holder: { firstName: 'Ada', lastName: 'Byron' }, kind: 'single' };
  expect(latest?.data[0]).toMatchObject({ outcome: 'consumed', ticket: guest });
  expect(scans.map(({ data }) => [data.reason ?? data.outcome, data.ticket])).toEqual([
    ['exhausted', guest],
    ['event_not_allowed', null],
  ]);
});

test('new entries come as they happen, those of others do not', async () => {
  const { service } = at;
  const { id } = await service.administration.organisations.create('Foreign');
  const foreigner = await AdminClient.signedIn(service, 'viewer', id);
  const code = await service.mint({ kind: 'multi', uses: 2 });
  await service.rest('validate', code);
  const foreign = readEvents(foreigner, '', 2);

  const [latest, ...events] = await readEvents(await viewer(), '', 4, async () => {
    for (let index = 0; index < 3; index += 1) await service.rest('consume', code);
  });

  expect(latest?.event).toBe('latest');
  expect(events.map(({ data }) => data.outcome)).toEqual(['consumed', 'consumed', 'exhausted']);
  expect(events.map(({ id: number }) => number)).toEqual(events.map(({ data }) => data.sequence));
  const nothing = await Promise.race([foreign.catch(() => []), wait(600, 'nothing came')]);
  expect(nothing).toBe('nothing came');
});

test('a view begins with the latest 200 entries that meet its conditions, and continues after them', async () => {
  const { service } = at;
  await fillLog(service, 300);
  const code = await card();
  await service.rest('consume', code);
  const last = await newest();

  const all = await readEvents(await viewer(), '', 2, () => service.rest('consume', code));
  const [admitted] = await readEvents(await viewer(), '?outcome=admitted', 1);

  const sequences = all[0]?.data.map(({ sequence }: { sequence: number }) => sequence);
  expect(sequences).toEqual(Array.from({ length: 200 }, (_, index) => last - index));
  expect(all[1]).toMatchObject({ event: 'scan', id: last + 1 });
  expect(admitted?.data[0]).toMatchObject({ sequence: last + 1 });
  const outcomes = admitted?.data.map(({ outcome }: { outcome: string }) => outcome);
  expect([...new Set(outcomes)]).toEqual(['consumed']);
});

test('when the log begins anew, a view shows the new one instead of waiting for its numbers', async () => {
  const code = await card();
  await at.service.rest('consume', code);
  const last = await newest();
  // A number that the log has not reached, as after a backup was restored.
  const events = await readEvents(await viewer(), '?after=60000', 2, () =>
    at.service.rest('consume', code),
  );
  expect(events[0]).toMatchObject({ event: 'latest', id: last });
  expect(events[1]).toMatchObject({ event: 'scan', id: last + 1 });
});

test('after a break the view goes on after the last entry that was seen', async () => {
  const code = await card();
  for (let index = 0; index < 5; index += 1) await at.service.rest('consume', code);
  const seen = (await newest()) - 3;

  const headers = { 'last-event-id': String(seen) };
  const byHeader = await readEvents(await viewer(), '', 3, undefined, { headers });
  const byQuery = await readEvents(await viewer(), `?after=${seen}`, 3);

  expect(byHeader.map(({ id }) => id)).toEqual([seen + 1, seen + 2, seen + 3]);
  expect(byQuery).toEqual(byHeader);
});

test('whoever is far behind is told what is skipped, and goes on near the newest entry', async () => {
  const after = await newest();
  await fillLog(at.service, 20_000);

  const events = await readEvents(await viewer(), `?after=${after}`, 401);

  const skipped = events.find(({ event }) => event === 'skipped');
  const scans = events.filter(({ event }) => event === 'scan');
  expect(skipped?.data.upTo).toBeGreaterThan(after + 19_000);
  expect(scans.at(-1)!.id).toBeGreaterThan(skipped!.data.upTo);
  // What was not sent is exactly what was said to be left out.
  const left = scans.filter(({ id }) => id > skipped!.data.after && id <= skipped!.data.upTo);
  expect(left).toEqual([]);
});

test('for a client that does not read, memory is bounded, however much is scanned', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const stop = new AbortController();
  // A response without a connection: whatever is written stays in it.
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const stream = new EventStream(response, {});
  const others = { mayGoOn: async () => true, ownTickets: async () => [] };
  const view = { stream, conditions: {}, afterSequence: 0, ...others };
  const showing = showLive(service.store, view, stop.signal);

  let most = 0;
  for (let round = 0; round < 40; round += 1) {
    await fillLog(service, 500);
    await wait(25);
    most = Math.max(most, response.writableLength);
  }

  expect(most).toBeGreaterThan(200_000);
  expect(most).toBeLessThan(400_000);
  stop.abort();
  await showing;
});

describe('a view ends with the session', () => {
  type End = (viewer: AdminClient, account: string) => Promise<{ status: number }>;
  const change = (what: object): End => {
    return (_, account) => at.owner.patch(`/accounts/${account}`, what);
  };
  test.each<[string, End]>([
    ['sign-out', (client) => client.delete('/sessions/current')],
    ['a new password', change({ password: 'another horse battery' })],
    ['another role', change({ role: 'owner' })],
    ['the deletion of its account', (_, account) => at.owner.delete(`/accounts/${account}`)],
  ])('by %s, and nothing that is scanned afterwards is sent', async (_, end) => {
    const client = await AdminClient.signedIn(at.service, 'operator');
    const code = await card();
    const { account } = (await client.get('/sessions/current')).json;

    const events = await readEvents(client, '', 99, async () => {
      expect((await end(client, account.id)).status).toBe(200);
      await at.service.rest('consume', code);
    });

    expect(events.filter(({ event }) => event !== 'latest')).toEqual([]);
  });

  test('and goes on as long as that lasts', async () => {
    const code = await card();
    const events = await readEvents(await viewer(), '', 3, async () => {
      await at.service.rest('consume', code);
      await wait(1500);
      await at.service.rest('consume', code);
    });
    expect(events).toHaveLength(3);
  });
});

test('a view ends with the server, and does not hold it up', async () => {
  const service = await TestService.start({ store: 'memory' });
  const client = await AdminClient.signedIn(service, 'viewer');
  const events = await readEvents(client, '', 99, () => service.stop(), { url: service.url });
  expect(events.filter(({ event }) => event !== 'latest')).toEqual([]);
  await service[Symbol.asyncDispose]();
});
