import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { EventStream, showLive } from '../../src/features/log/live.ts';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

interface LiveEvent {
  readonly event: string;
  readonly id: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came
  readonly data: any;
}

const NEW_PASSWORD = 'another horse battery';

/** Reads events until `count` came or the stream ended; the event `latest`, with which a view begins, is not counted. */
async function readEvents(
  client: AdminClient,
  url: string,
  path: string,
  count: number,
  headers: Record<string, string> = {},
  onOpen: () => Promise<unknown> = async () => {},
): Promise<LiveEvent[]> {
  const stop = new AbortController();
  const response = await fetch(`${url}/admin/v1${path}`, {
    headers: { cookie: client.cookie ?? '', ...headers },
    signal: stop.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events: LiveEvent[] = [];
  let text = '';
  let opened = false;
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    // The first sign of life says where the view begins.
    if (!opened && text.includes(': alive')) {
      opened = true;
      void onOpen();
    }
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    events.push(...whole.flatMap(eventFrom).filter(({ event }) => event !== 'latest'));
    if (events.length >= count) break;
  }
  stop.abort();
  return events;
}

/** Reads `count` events, `latest` too; `onFirst` is called after the first. */
async function readAll(
  client: AdminClient,
  url: string,
  path: string,
  count: number,
  onFirst: () => Promise<unknown> = async () => {},
): Promise<LiveEvent[]> {
  const signal = AbortSignal.timeout(5000);
  const headers = { cookie: client.cookie ?? '' };
  const response = await fetch(`${url}/admin/v1${path}`, { headers, signal });
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const before = text.split('\n\n').flatMap(eventFrom).length;
    text += chunk;
    const events = text.split('\n\n').slice(0, -1).flatMap(eventFrom);
    if (events.length >= count) return events;
    if (before === 0 && events.length > 0) void onFirst();
  }
  return [];
}

function eventFrom(text: string): LiveEvent[] {
  const found = /id: (\d+)\nevent: (\w+)\ndata: (.*)/.exec(text);
  return found
    ? [{ id: Number(found[1]), event: found[2] ?? '', data: JSON.parse(found[3] ?? '') }]
    : [];
}

test('new entries come as they happen, those of others do not', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const { id } = await service.administration.createOrganisation('Foreign');
  const foreigner = await AdminClient.signedIn(service, 'viewer', id);
  const code = await service.mint({ kind: 'multi', uses: 2 });
  await service.rest('validate', code);
  const foreign = readEvents(foreigner, service.url, '/log/live', 1);

  const events = await readEvents(viewer, service.url, '/log/live', 3, {}, async () => {
    for (let index = 0; index < 3; index += 1) await service.rest('consume', code);
  });

  expect(events.map(({ data }) => data.outcome)).toEqual(['consumed', 'consumed', 'exhausted']);
  expect(events.map(({ id: number }) => number)).toEqual(events.map(({ data }) => data.sequence));
  const nothing = await Promise.race([foreign.catch(() => []), wait(600, 'nothing came')]);
  expect(nothing).toBe('nothing came');
});

test('a view begins with the latest 200 entries that meet its conditions, and continues after them', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const viewer = await AdminClient.signedIn(service, 'viewer');
  await fill(service, 300);
  const code = await service.mint();
  await service.rest('consume', code);

  const newest = (await service.store.readLog({ limit: 1 }))[0]!.sequence;
  const all = await readAll(viewer, service.url, '/log/live', 2, () =>
    service.rest('consume', code),
  );
  const admitted = await readAll(viewer, service.url, '/log/live?outcome=admitted', 1);

  const sequences = all[0]?.data.map(({ sequence }: { sequence: number }) => sequence);
  expect(sequences).toEqual(Array.from({ length: 200 }, (_, index) => newest - index));
  expect(all[1]).toMatchObject({ event: 'scan', id: newest + 1 });
  expect(admitted[0]?.data[0]).toMatchObject({ sequence: newest });
  const outcomes = admitted[0]?.data.map(({ outcome }: { outcome: string }) => outcome);
  expect([...new Set(outcomes)]).toEqual(['consumed']);
});

test('when the log begins anew, a view shows the new one instead of waiting for its numbers', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const code = await service.mint({ kind: 'permanent' });
  for (let index = 0; index < 3; index += 1) await service.rest('consume', code);

  const newest = (await service.store.readLog({ limit: 1 }))[0]!.sequence;
  // A number that the log has not reached, as after a backup was restored.
  const events = await readAll(viewer, service.url, '/log/live?after=600', 2, () =>
    service.rest('consume', code),
  );

  expect(events[0]).toMatchObject({ event: 'latest', id: newest });
  expect(events[0]?.data).toHaveLength(newest);
  expect(events[1]).toMatchObject({ event: 'scan', id: newest + 1 });
});

test('after a break the view goes on after the last entry that was seen', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const code = await service.mint({ kind: 'permanent' });
  for (let index = 0; index < 5; index += 1) await service.rest('consume', code);
  const [newest] = (await viewer.get('/log?limit=1')).json.items;
  const seen = newest.sequence - 3;

  const byHeader = await readEvents(viewer, service.url, '/log/live', 3, {
    'last-event-id': String(seen),
  });
  const byQuery = await readEvents(viewer, service.url, `/log/live?after=${seen}`, 3);

  expect(byHeader.map(({ id }) => id)).toEqual([seen + 1, seen + 2, seen + 3]);
  expect(byQuery).toEqual(byHeader);
});

test('whoever is far behind is told what is skipped, and goes on near the newest entry', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const viewer = await AdminClient.signedIn(service, 'viewer');
  await fill(service, 20_000);

  const events = await readEvents(viewer, service.url, '/log/live?after=0', 401);

  const skipped = events.find(({ event }) => event === 'skipped');
  const scans = events.filter(({ event }) => event === 'scan');
  expect(skipped?.data.upTo).toBeGreaterThan(19_000);
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
  const view = {
    stream: new EventStream(response, {}),
    conditions: {},
    afterSequence: 0,
    mayGoOn: async () => true,
  };
  const showing = showLive(service.store, view, stop.signal);

  let most = 0;
  for (let round = 0; round < 40; round += 1) {
    await fill(service, 500);
    await wait(25);
    most = Math.max(most, response.writableLength);
  }

  expect(most).toBeGreaterThan(200_000);
  expect(most).toBeLessThan(400_000);
  stop.abort();
  await showing;
});

describe('a view ends with the session', () => {
  type End = (owner: AdminClient, viewer: AdminClient, id: string) => Promise<{ status: number }>;
  const ends: [string, End][] = [
    ['sign-out', (_, viewer) => viewer.delete('/sessions/current')],
    [
      'a new password',
      (owner, _, id) => owner.patch(`/accounts/${id}`, { password: NEW_PASSWORD }),
    ],
    ['another role', (owner, _, id) => owner.patch(`/accounts/${id}`, { role: 'owner' })],
    ['the deletion of its account', (owner, _, id) => owner.delete(`/accounts/${id}`)],
  ];

  test.each(ends)('by %s, and nothing that is scanned afterwards is sent', async (_, end) => {
    await using service = await TestService.start({ store: 'memory' });
    const owner = await AdminClient.signedIn(service);
    const viewer = await AdminClient.signedIn(service, 'operator');
    const code = await service.mint({ kind: 'permanent' });
    const { account } = (await viewer.get('/sessions/current')).json;
    let endedAt = 0;

    const events = await readEvents(viewer, service.url, '/log/live', 99, {}, async () => {
      expect((await end(owner, viewer, account.id)).status).toBe(200);
      endedAt = performance.now();
      await service.rest('consume', code);
    });

    expect(events).toEqual([]);
    expect(performance.now() - endedAt).toBeLessThan(3000);
  });

  test('and goes on as long as that lasts', async () => {
    await using service = await TestService.start({ store: 'memory' });
    const viewer = await AdminClient.signedIn(service, 'viewer');
    const code = await service.mint({ kind: 'permanent' });

    const events = await readEvents(viewer, service.url, '/log/live', 2, {}, async () => {
      await service.rest('consume', code);
      await wait(1500);
      await service.rest('consume', code);
    });

    expect(events).toHaveLength(2);
  });
});

test('a view ends with the server, and does not hold it up', async () => {
  const service = await TestService.start({ store: 'memory' });
  const viewer = await AdminClient.signedIn(service, 'viewer');
  const reading = readEvents(viewer, service.url, '/log/live', 1, {}, async () => {
    await service.stop();
  });

  expect(await reading).toEqual([]);
  await service[Symbol.asyncDispose]();
});

/** So many entries in one batch. */
async function fill(service: TestService, count: number): Promise<void> {
  const [key] = await service.store.list('key');
  const subject = { kind: 'unreadable' } as const;
  const request = {
    kind: 'scan',
    keyId: key!.id,
    operation: 'consume',
    subject,
    now: service.clock.now(),
    serial: 'S-1',
    reader: '0',
    retry: null,
  } as const;
  await service.store.commitScans(Array.from({ length: count }, () => request));
}
