import { expect, test } from 'vitest';
import { TicketscanError } from '../../src/core/errors.ts';
import type { BatchRequest, ScanOutcome, ScanRequest } from '../../src/core/scan-requests.ts';
import { CommitQueue } from '../../src/scan/commit-queue.ts';
import type { ScanBatchResult } from '../../src/stores/store.ts';

/** A store whose commits end when the test says so. */
class HeldStore {
  readonly batches: (readonly BatchRequest[])[] = [];
  #end: ((result: ScanBatchResult) => void) | undefined;
  #fail: ((error: Error) => void) | undefined;

  commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult> {
    this.batches.push(requests);
    return new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
  }

  async end(): Promise<void> {
    const outcomes = (this.batches.at(-1) ?? []).map((): ScanOutcome => ({ kind: 'alive' }));
    this.#end?.({ outcomes, revision: 7 });
    await turns();
  }

  async fail(error = new Error('disk')): Promise<void> {
    this.#fail?.(error);
    await turns();
  }
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 20));
const request = (keyId: string): ScanRequest => ({
  kind: 'scan',
  keyId,
  operation: 'consume',
  subject: { kind: 'unreadable' },
  now: 0,
  serial: null,
  reader: null,
  retry: null,
});

test('what arrives while a commit is under way forms the next batch, and nobody is answered early', async () => {
  const store = new HeldStore();
  const queue = new CommitQueue(store, () => {});
  const answered: string[] = [];
  const ask = (name: string) => queue.commit(request(name)).then(() => answered.push(name));

  const asked = [ask('a'), ask('b'), ask('c')];
  await turns();
  expect(store.batches.map((batch) => batch.map(({ keyId }) => keyId))).toEqual([['a']]);
  expect(answered).toEqual([]);

  await store.end();
  expect(answered).toEqual(['a']);
  expect(store.batches.map((batch) => batch.map(({ keyId }) => keyId))).toEqual([
    ['a'],
    ['b', 'c'],
  ]);

  await store.end();
  await Promise.all(asked);
  expect(answered).toEqual(['a', 'b', 'c']);
});

test('the revision is told before anyone in the batch is answered', async () => {
  const store = new HeldStore();
  const seen: unknown[] = [];
  const queue = new CommitQueue(store, (revision) => seen.push(revision));
  const asked = queue.commit(request('a')).then(() => seen.push('answer'));
  await store.end();
  await asked;
  expect(seen).toEqual([7, 'answer']);
});

test('a locked store refuses those who waited for it, and not one batch after another; who comes later tries anew', async () => {
  const store = new HeldStore();
  const queue = new CommitQueue(store, () => {});
  const refused: string[] = [];
  const ask = (name: string) => queue.commit(request(name)).catch(() => refused.push(name));
  void ask('a');
  await turns();
  for (const name of ['b', 'c']) void ask(name);
  await turns();

  await store.fail(new TicketscanError('store_busy', 'locked'));
  expect(refused).toEqual(['a', 'b', 'c']);
  expect(store.batches).toHaveLength(1);

  const later = queue.commit(request('d'));
  await turns();
  await store.end();
  expect(await later).toEqual({ kind: 'alive' });
  await queue.drained();
});

test('a store that takes several batches at once may have locked one ticket alone', async () => {
  const store = Object.assign(new HeldStore(), { batchesInFlight: 2 });
  const queue = new CommitQueue(store, () => {});
  const refused: string[] = [];
  const ask = (name: string) => queue.commit(request(name)).catch(() => refused.push(name));
  void ask('a');
  await turns();
  void ask('b');
  await turns();
  void ask('c');
  await store.fail(new TicketscanError('store_busy', 'locked'));
  expect(refused).toEqual(['b']);
  expect(store.batches).toHaveLength(3);
});

test('a failed commit rejects its batch alone', async () => {
  const store = new HeldStore();
  const queue = new CommitQueue(store, () => {});
  const first = queue.commit(request('a')).catch((error: Error) => error.message);
  const second = queue.commit(request('b'));
  await store.fail();
  expect(await first).toBe('disk');
  await store.end();
  expect(await second).toEqual({ kind: 'alive' });
});

test('drained waits for everyone', async () => {
  const store = new HeldStore();
  const queue = new CommitQueue(store, () => {});
  await queue.drained();
  const asked = [queue.commit(request('a')), queue.commit(request('b'))];
  let drained = false;
  const waiting = queue.drained().then(() => {
    drained = true;
  });
  await store.end();
  expect(drained).toBe(false);
  await store.end();
  await Promise.all([...asked, waiting]);
});

test('a store that takes several batches gets the next one before the first is done, and no more than it takes', async () => {
  const ends: (() => void)[] = [];
  const store = {
    batchesInFlight: 2,
    commitScans: (requests: readonly BatchRequest[]) =>
      new Promise<ScanBatchResult>((resolve) => {
        const outcomes = requests.map((): ScanOutcome => ({ kind: 'alive' }));
        ends.push(() => resolve({ outcomes, revision: 1 }));
      }),
  };
  const queue = new CommitQueue(store, () => {});
  const answered: string[] = [];
  const ask = (name: string) => queue.commit(request(name)).then(() => answered.push(name));

  const asked = [ask('a')];
  await turns();
  asked.push(ask('b'));
  await turns();
  asked.push(ask('c'));
  await turns();
  expect(ends).toHaveLength(2);

  ends[1]?.();
  await turns();
  expect(answered).toEqual(['b']);
  expect(ends).toHaveLength(3);

  for (const end of ends) end();
  await Promise.all([...asked, queue.drained()]);
  expect(answered).toEqual(['b', 'a', 'c']);
});
