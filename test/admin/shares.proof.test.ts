import { expect, test } from 'vitest';
import { Shares } from '../../src/operations/http/fair-shares.ts';
import { PATIENTLY } from '../support/patience.ts';
import { threadMs } from '../support/processor-time.ts';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

/** Somebody of the first organisation, and of another one, who may print tickets. */
async function twoOperators(service: TestService): Promise<[AdminClient, AdminClient]> {
  const other = await service.administration.organisations.create('Foreign');
  return [
    await AdminClient.signedIn(service, 'operator'),
    await AdminClient.signedIn(service, 'operator', other.id),
  ];
}

test('sheets are drawn beside the serving thread, and one organisation waits for a few only', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const [viewer, other] = await twoOperators(service);
  const [organisation] = (await service.store.list('organisation')).slice(1);
  const event = await service.administration.events.create('Lake', organisation!.id);
  const [mine, theirs] = [await service.mint(), await service.mint({}, event.id)];
  const sheet = (client: AdminClient, code: string) =>
    client.get(`/tickets/${code.split('.')[1]}/sheet.pdf`);
  await sheet(viewer, mine);

  const [whole, ofThisThread] = [process.cpuUsage(), threadMs()];
  const answers = await Promise.all([
    ...Array.from({ length: 12 }, () => sheet(viewer, mine)),
    sheet(other, theirs),
  ]);
  const servingMs = threadMs() - ofThisThread;
  const { user, system } = process.cpuUsage(whole);

  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array(9).fill(200),
    ...Array(4).fill(503),
  ]);
  expect(answers.at(-1)?.status).toBe(200);
  expect(servingMs / ((user + system) / 1000)).toBeLessThan(0.3);
});

test('one organisation cannot take the live views of another', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const [viewer, other] = await twoOperators(service);
  // A view whose answer nobody holds is closed when memory is cleaned, and makes room for another.
  const views: Response[] = [];
  let stop = new AbortController();
  const open = async ({ cookie = '' }: AdminClient) => {
    const init = { headers: { cookie }, signal: stop.signal };
    const answer = await fetch(`${service.url}/admin/v1/log/live`, init);
    views.push(answer);
    return answer.status;
  };

  const mine = await Promise.all(Array.from({ length: 64 }, () => open(viewer)));

  expect(mine.filter((status) => status === 200)).toHaveLength(32);
  expect(mine.filter((status) => status === 503)).toHaveLength(32);
  expect(await open(other)).toBe(200);
  stop.abort();
  stop = new AbortController();
  await expect.poll(() => open(viewer), PATIENTLY).toBe(200);
  stop.abort();
});

test('one organisation leaves places to others, waits in line, and is refused behind it', async () => {
  const shares = new Shares({ all: 3, each: 2, waiting: 1 });
  const entered: string[] = [];
  const enter = async (name: string) => {
    const leave = await shares.enter(name);
    entered.push(name);
    return leave;
  };
  const [first, second] = [await enter('a'), await enter('a')];
  const waiting = enter('a');
  await expect(enter('a')).rejects.toMatchObject({ code: 'busy', retryAfterSeconds: 3 });
  const other = await enter('b');
  const full = enter('b');
  expect(entered).toEqual(['a', 'a', 'b']);

  // A second release gives no second place.
  for (const leave of [first, first]) leave();
  const third = await waiting;
  expect(entered).toEqual(['a', 'a', 'b', 'a']);
  for (const leave of [second, other, third]) leave();
  (await full)();
  expect(entered).toEqual(['a', 'a', 'b', 'a', 'b']);
});

test('a file that nobody reads to its end gives its place back', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const [viewer] = await twoOperators(service);
  for (let count = 0; count < 6; count += 1) {
    const stop = new AbortController();
    const init = { headers: { cookie: viewer.cookie ?? '' }, signal: stop.signal };
    const answer = await fetch(`${service.url}/admin/v1/tickets/export`, init);
    expect(answer.status).toBe(200);
    stop.abort();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  expect((await viewer.get('/tickets/export')).status).toBe(200);
});
