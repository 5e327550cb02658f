import pino from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startBackgroundJobs } from '../../src/serve/background-jobs.ts';
import { PATIENTLY } from '../support/patience.ts';
import { putAdministrative } from '../support/records.ts';
import { TestStore } from '../support/stores.ts';

const DAY_MS = 86_400_000;
const HOLDER = { firstName: 'Ada', lastName: 'Lovelace' };
const NO_NETWORK = {
  isAllowed: () => false,
  send: () => Promise.reject(new Error('nothing is sent here')),
  close: () => {},
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What the log of a server with the jobs of `gate` says. */
function started(gate: TestStore, keep: { readonly keepHoldersDays?: number }) {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const { store, clock, url } = gate;
  const stop = startBackgroundJobs({ store, clock, log }, { store: url, ...keep }, NO_NETWORK);
  return { lines, stop };
}

test.each(['sqlite', 'json'] as const)(
  '%s: a server removes what it is to keep no longer a minute after its start, and each day',
  async (engine) => {
    await using gate = await TestStore.open(engine);
    const holderOf = async (id: string) => (await gate.store.findTicket(id))?.holder;
    const first = await gate.mint({ ...HOLDER, validUntil: gate.clock.now() + DAY_MS });
    const second = await gate.mint({ ...HOLDER, validUntil: gate.clock.now() + 2 * DAY_MS });
    gate.clock.advance(1.5 * DAY_MS + 30 * DAY_MS);
    const { lines, stop } = started(gate, { keepHoldersDays: 30 });
    try {
      await vi.advanceTimersByTimeAsync(59_000);
      expect(lines).toEqual([]);
      await vi.advanceTimersByTimeAsync(1000);
      await vi.waitFor(() => expect(lines).toHaveLength(1), PATIENTLY);
      expect(await holderOf(first.id)).toBeNull();
      expect(await holderOf(second.id)).toEqual(HOLDER);

      gate.clock.advance(DAY_MS);
      await vi.advanceTimersByTimeAsync(DAY_MS);
      await vi.waitFor(() => expect(lines).toHaveLength(2), PATIENTLY);
      expect(await holderOf(second.id)).toBeNull();
    } finally {
      await stop();
    }
  },
);

test('what has ended of accounts that nobody signs in with goes at the start, and each hour', async () => {
  await using gate = await TestStore.open('memory');
  const { store, clock } = gate;
  const session = (lastSeenAt: number) => ({ createdAt: lastSeenAt, lastSeenAt });
  await putAdministrative(store, 'session', 'old', session(clock.now() - DAY_MS));
  await putAdministrative(store, 'session', 'new', session(clock.now()));
  await putAdministrative(store, 'pairing', 'old', { expiresAt: clock.now() });
  await putAdministrative(store, 'pairing', 'new', { expiresAt: clock.now() + 1 });
  const left = async () =>
    [...(await store.list('session')), ...(await store.list('pairing'))].map(
      ({ kind, id }) => `${id} ${kind}`,
    );
  const { stop } = started(gate, {});
  try {
    await vi.waitFor(
      async () => expect(await left()).toEqual(['new session', 'new pairing']),
      PATIENTLY,
    );
    clock.advance(DAY_MS);
    await vi.advanceTimersByTimeAsync(DAY_MS / 24);
    await vi.waitFor(async () => expect(await left()).toEqual([]), PATIENTLY);
  } finally {
    await stop();
  }
});

test('a job that takes longer than a minute is not begun again beside itself', async () => {
  await using gate = await TestStore.open('memory');
  let running = 0;
  let atOnceMax = 0;
  const { store } = gate;
  const slowly = async (kind: 'key') => {
    running += kind === 'key' ? 1 : 0;
    atOnceMax = Math.max(atOnceMax, running);
    await new Promise((done) => setTimeout(done, 150_000));
    running -= kind === 'key' ? 1 : 0;
    return store.list(kind);
  };
  const slow = new Proxy(store, {
    get(_, name) {
      const member: unknown = name === 'list' ? slowly : Reflect.get(store, name);
      return typeof member === 'function' ? member.bind(store) : member;
    },
  });
  gate.store = slow;
  const { stop } = started(gate, {});
  try {
    await vi.advanceTimersByTimeAsync(600_000);
    expect(atOnceMax).toBe(2);
  } finally {
    await stop();
  }
});
