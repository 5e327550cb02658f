import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestService } from '../../support/service.ts';

/** Devices are told to wait 3 s; half of what is left is for the network. */
const ANSWER_MS_MAX = 2750;

let service: TestService;
let other: pg.Client;
beforeAll(async () => {
  service = await TestService.start({ store: 'postgres' });
  const info = await service.store.info();
  expect(info.engine).toBe('postgres');
  other = new pg.Client(service.storeUrl);
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await service[Symbol.asyncDispose]();
});

const consume = async (code: string) => {
  const began = performance.now();
  const { status, text } = await service.post(
    `/scan/hw/consume?key=${service.key('hardware')}`,
    JSON.stringify({ Card: Buffer.from(code).toString('base64'), SN: 'G-1' }),
  );
  return { status, text, ms: performance.now() - began };
};

const TABLES = ['ticket', 'scan_log', 'stored_answer', 'api_key_usage', 'rate_bucket'];

test.each([...TABLES, 'state', 'api_key', 'scan_count', 'scan_operation', 'event'])(
  'behind %s, which another session has locked, each scan is given up before its device is, and takes no use',
  async (table) => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => service.mint()));
    await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    let answers: Awaited<ReturnType<typeof consume>>[];
    try {
      answers = await Promise.all(codes.map(consume));
    } finally {
      await other.query('ROLLBACK');
    }
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(ANSWER_MS_MAX);
    // A table that a scan does not need does not hold it up.
    const givenUp = answers.filter(({ status }) => status === 500);
    for (const { text } of givenUp) expect(text).toContain('Serverfehler');
    const ids = codes.map((code) => code.split('.')[1] ?? '');
    const tickets = await service.store.findTickets(ids);
    const used = tickets.filter(({ usesConsumed }) => usesConsumed > 0).length;
    expect(used).toBe(answers.length - givenUp.length);
    expect((await service.store.verify()).problems).toEqual([]);
  },
);

test('the wait for the key counts into the time of a scan, at devices and for own software', async () => {
  // Nobody has used its keys yet: the first scan of each looks its key up.
  await using fresh = await TestService.start({ store: 'postgres' });
  const cards = [await fresh.mint(), await fresh.mint()] as const;
  const sessions = [new pg.Client(fresh.storeUrl), new pg.Client(fresh.storeUrl)] as const;
  for (const session of sessions) await session.connect();
  const [ofKeys, ofTickets] = sessions;
  await ofKeys.query('BEGIN; LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE');
  await ofTickets.query('BEGIN; LOCK TABLE ticket IN ACCESS EXCLUSIVE MODE');
  try {
    const began = performance.now();
    const timed = async <Answer>(asked: Promise<Answer>) => {
      const answer = await asked;
      return { answer, ms: performance.now() - began };
    };
    const asked = [
      timed(fresh.card('consume', cards[0])),
      timed(fresh.rest('consume', cards[1])),
    ] as const;
    await sleep(1500);
    await ofKeys.query('ROLLBACK');
    const [device, software] = await Promise.all(asked);
    expect(device.ms).toBeLessThan(ANSWER_MS_MAX);
    expect(software.ms).toBeLessThan(ANSWER_MS_MAX);
    expect(device.answer).toMatchObject({ status: 500, json: { Note: 'Serverfehler' } });
    expect(software.answer).toMatchObject({
      status: 500,
      json: { message: 'Internal Server Error' },
    });
    expect(fresh.logs.split('a scan was given up, and took no use')).toHaveLength(3);
  } finally {
    for (const session of sessions) await session.end();
  }
  expect((await fresh.card('consume', cards[0])).json).toMatchObject({ AcsRes: '1' });
  expect((await fresh.rest('consume', cards[1])).json).toMatchObject({ valid: true });
});
