import { expect, test } from 'vitest';
import {
  clearIn,
  cueOf,
  isOpen,
  labelOf,
  lookOf,
  overtakenIn,
  type ScanQueue,
  type Signal,
  WAITING_MAX,
  waitingIn,
} from '../../src/dashboard/scanner/scan-queue.ts';
import type { ScanAnswer, ScanAttempt } from '../../src/dashboard/scanner/scan-requests.ts';
import { ScanRunner } from '../../src/dashboard/scanner/scan-runner.ts';
import { UnansweredScans } from '../../src/dashboard/scanner/unanswered-scans.ts';
import { fc } from '../support/fast-check.ts';

const TURNS = 30;

/** Lets everything run that waits for nothing from outside. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await undefined;
}

function answerTo(code: string, valid: boolean): ScanAnswer {
  const status = valid ? 'consumed' : 'exhausted';
  return { kind: 'decided', result: { valid, status, ticketId: code } };
}

/** Makes the list of a browser that keeps nothing for a page. */
function unkept(): UnansweredScans {
  return new UnansweredScans('acc_1', { read: () => undefined, write: () => undefined }, () => 0);
}

/** A gate whose line and clock the test moves by hand. */
class Gate {
  readonly signals: Signal[] = [];
  /** All requests, in their order. */
  readonly asked: ScanAttempt[] = [];
  readonly #open: { code: string; answer: (answer: ScanAnswer) => void }[] = [];
  #timeOver: (() => void) | undefined;
  readonly runner = new ScanRunner({
    unanswered: unkept(),
    ask: (attempt) => {
      this.asked.push(attempt);
      return new Promise((answer) => this.#open.push({ code: attempt.ticketCode, answer }));
    },
    wait: (_ms, stop) =>
      new Promise((resolve) => {
        this.#timeOver = resolve;
        stop.addEventListener('abort', () => resolve());
      }),
    now: () => 0,
    holdsMarks: () => true,
    onSignal: (signal) => this.signals.push(signal),
  });
  #reads = 0;

  constructor() {
    this.runner.open();
  }

  get queue(): ScanQueue {
    return this.runner.queue();
  }

  get requestsOpen(): number {
    return this.#open.length;
  }

  read(code: string, more: Pick<ScanAttempt, 'direction'> = {}): boolean {
    this.#reads += 1;
    const retryName = `name ${this.#reads}`;
    return this.runner.read({ action: 'consume', key: null, ticketCode: code, retryName, ...more });
  }

  /** Reads a code at a way out. @returns which person the answer counts */
  async out(code: string, what: 'good' | 'bad' = 'good'): Promise<number | undefined> {
    this.read(code, { direction: 'out' });
    await this.answer(what);
    const state = this.queue[0]?.state;
    return state?.step === 'answered' ? state.peopleOut : undefined;
  }

  /** Answers the oldest open request. */
  async answer(what: 'good' | 'bad' | 'lost' | '429' | 'signed_out'): Promise<void> {
    const request = this.#open.shift();
    if (what === 'lost') request?.answer({ kind: 'unknown' });
    else if (what === 'signed_out') request?.answer({ kind: 'signed_out' });
    else if (what === '429') request?.answer({ kind: 'too_many', retryAfterMs: 1000 });
    else request?.answer(answerTo(request.code, what === 'good'));
    await settle();
  }

  async timeOver(): Promise<void> {
    this.#timeOver?.();
    await settle();
  }

  /** Steps of the scans, newest first. */
  get steps(): string[] {
    return this.queue.map(({ attempt, state }) => `${attempt.ticketCode} ${state.step}`);
  }
}

test('a code that is read while another is asked about waits, and gets its own answer', async () => {
  const gate = new Gate();
  gate.read('a');
  gate.read('b');
  expect(gate.steps).toEqual(['b waiting', 'a asking']);
  await gate.answer('good');
  expect(lookOf(gate.queue)).toBe('pending');
  expect(gate.steps).toEqual(['b asking', 'a answered']);
  expect(overtakenIn(gate.queue).map(({ attempt }) => attempt.ticketCode)).toEqual(['a']);
  expect(clearIn(gate.queue).size).toBe(0);
  await gate.answer('bad');
  expect(lookOf(gate.queue)).toBe('bad');
  expect(overtakenIn(gate.queue)).toEqual([]);
  expect(gate.signals).toEqual(['good', 'bad']);
});

test('the old answer is gone as soon as the next code is read', async () => {
  const gate = new Gate();
  gate.read('a');
  await gate.answer('good');
  expect(lookOf(gate.queue)).toBe('good');
  gate.read('b');
  expect(lookOf(gate.queue)).toBe('pending');
  expect(overtakenIn(gate.queue)).toEqual([]);
});

test('a code beyond the bound is refused at once and loudly, and stays refused until a newer one is read', async () => {
  const gate = new Gate();
  const codes = ['a', 'b', 'c', 'd', 'e', 'f'];
  expect(codes.map((code) => gate.read(code))).toEqual(codes.map(() => true));
  expect(waitingIn(gate.queue)).toBe(WAITING_MAX);
  expect(gate.read('g')).toBe(false);
  expect(gate.signals).toEqual(['bad']);
  // A camera sees it ten times a second.
  expect(gate.read('g')).toBe(false);
  expect(gate.signals).toEqual(['bad']);
  for (const _ of codes) await gate.answer('good');
  expect(lookOf(gate.queue)).toBe('not_taken');
  expect(gate.read('g')).toBe(true);
  await gate.answer('good');
  expect(lookOf(gate.queue)).toBe('good');
  expect(gate.asked.map(({ ticketCode }) => ticketCode)).toEqual([...codes, 'g']);
});

test('a code that is read again before its answer came is one scan, and afterwards another', async () => {
  const gate = new Gate();
  gate.read('a');
  expect(gate.read('a')).toBe(true);
  await gate.answer('good');
  expect(gate.asked).toHaveLength(1);
  gate.read('a');
  expect(gate.asked).toHaveLength(2);
  gate.read('b');
  gate.read('a');
  expect(gate.steps.slice(0, 3)).toEqual(['a waiting', 'b waiting', 'a asking']);
});

test('after a 429 the others wait behind it; who stops the waiting lets them go on', async () => {
  const gate = new Gate();
  gate.read('a');
  gate.read('b');
  await gate.answer('429');
  expect(gate.steps).toEqual(['b waiting', 'a pausing']);
  await gate.timeOver();
  expect(gate.steps).toEqual(['b waiting', 'a asking']);
  await gate.answer('429');
  gate.runner.stopWaiting();
  await settle();
  expect(gate.steps).toEqual(['b asking', 'a answered']);
  await gate.answer('good');
  expect(lookOf(gate.queue)).toBe('good');
});

test('another attempt after a lost answer is the same request, as the newest scan', async () => {
  const gate = new Gate();
  gate.read('a');
  gate.read('b');
  await gate.answer('lost');
  await gate.answer('good');
  const lost = gate.queue.find(({ attempt }) => attempt.ticketCode === 'a');
  gate.runner.retry(lost?.number ?? 0);
  expect(lookOf(gate.queue)).toBe('pending');
  await gate.answer('good');
  expect(gate.steps).toEqual(['a answered', 'b answered']);
  expect(gate.asked[2]).toEqual({ ...gate.asked[0], inDoubt: true });
});

test('when the session has ended, the answers before are forgotten', async () => {
  const ended = new ScanRunner({
    unanswered: unkept(),
    ask: async ({ ticketCode }) =>
      ticketCode === 'a' ? answerTo('a', true) : { kind: 'signed_out' },
    wait: async () => undefined,
    now: () => 0,
    holdsMarks: () => true,
    onSignal: () => undefined,
  });
  ended.open();
  ended.read({ action: 'consume', key: null, ticketCode: 'a', retryName: '1' });
  await settle();
  expect(lookOf(ended.queue())).toBe('good');
  ended.read({ action: 'consume', key: null, ticketCode: 'b', retryName: '2' });
  await settle();
  expect(ended.queue().map(({ attempt }) => attempt.ticketCode)).toEqual(['b']);
});

test('whoever leaves the page leaves what waits to the queue; the end of the session says how much has no answer', async () => {
  const gate = new Gate();
  for (const code of 'ab') gate.read(code);
  gate.runner.show(false);
  expect(gate.runner.left()).toEqual([2, 1]);
  await gate.answer('good');
  expect(gate.steps).toEqual(['b asking', 'a answered']);
  expect(gate.runner.left()).toEqual([2, 1]);
  gate.runner.show(true);
  expect(gate.runner.left()).toEqual([]);
  gate.read('c');
  expect(gate.runner.close()).toBe(2);
});

test('a code is told by the end of its identifier, other text by its begin', () => {
  expect(labelOf({ ticketCode: 'TS1.tkt_01234567_abcdefghij.sig' })).toBe('… fghij');
  expect(labelOf({ ticketCode: 'https://example.org/menu' })).toBe('https://exam …');
  expect(labelOf({ ticketCode: 'menu' })).toBe('menu');
});

type Move =
  | { readonly act: 'read'; readonly code: string }
  | { readonly act: 'answer'; readonly what: 'good' | 'bad' | 'lost' | '429' }
  | { readonly act: 'retry'; readonly place: number }
  | { readonly act: 'time over' | 'stop' };

const MOVES = fc.array(
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({ act: fc.constant('read'), code: fc.constantFrom(...'abcdefgh') }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        act: fc.constant('answer'),
        what: fc.constantFrom('good', 'bad', 'lost', '429'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('retry'), place: fc.nat(12) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('time over', 'stop') }) },
  ) as fc.Arbitrary<Move>,
  { maxLength: 60 },
);

async function make(gate: Gate, move: Move): Promise<void> {
  if (move.act === 'answer') return gate.answer(move.what);
  if (move.act === 'time over') return gate.timeOver();
  if (move.act === 'retry') gate.runner.retry(gate.queue[move.place]?.number ?? 0);
  if (move.act === 'stop') gate.runner.stopWaiting();
  await settle();
}

/** What must be so at each moment. @param last the code that was read or asked about again last */
function expectSafe(gate: Gate, last: string | undefined): void {
  const { queue } = gate;
  const open = queue.filter(isOpen);
  expect(open.filter(({ state }) => state.step !== 'waiting').length).toBeLessThanOrEqual(1);
  expect(gate.requestsOpen).toBeLessThanOrEqual(1);
  if (queue[0]) expect(queue[0].attempt.ticketCode).toBe(last);
  if (lookOf(queue) === 'good') {
    expect(open).toEqual([]);
    expect(queue[0]?.state).toMatchObject({ step: 'answered', answer: { kind: 'decided' } });
  }
  for (const { attempt, state } of queue) {
    if (state.step !== 'answered' || state.answer.kind !== 'decided') continue;
    expect(state.answer.result.ticketId).toBe(attempt.ticketCode);
  }
  const clear = clearIn(queue);
  for (const [place, { number }] of queue.entries()) {
    const newer = queue.slice(0, place);
    const isInTheWay = newer.some((scan) => scan.state.step !== 'answered');
    if (isInTheWay) expect(clear.has(number)).toBe(false);
  }
}

/** A run of moves at one gate, with what has to be so after each. */
class Run {
  readonly gate = new Gate();
  /** The names of the requests of all codes that were taken, in their order. */
  readonly taken: string[] = [];
  refused = 0;
  #last: string | undefined;

  async move(move: Move): Promise<void> {
    const before = this.gate.queue[0]?.number;
    if (move.act === 'read') await this.#read(move.code, before);
    else await make(this.gate, move);
    const [newest] = this.gate.queue;
    if (newest?.number !== before) this.#last = newest?.attempt.ticketCode;
    expectSafe(this.gate, this.#last);
  }

  async #read(code: string, before: number | undefined): Promise<void> {
    const isTaken = this.gate.read(code);
    await settle();
    const [newest] = this.gate.queue;
    expect(newest?.attempt.ticketCode).toBe(code);
    if (!isTaken) expect(lookOf(this.gate.queue)).toBe('not_taken');
    if (newest?.number === before) return;
    if (isTaken) this.taken.push(newest?.attempt.retryName ?? '');
    else this.refused += 1;
  }

  /** Answers all that is open. */
  async finish(): Promise<void> {
    while (this.gate.queue.some(isOpen)) {
      await this.move({ act: 'time over' });
      await this.move({ act: 'answer', what: 'good' });
    }
  }
}

test('whatever the order of codes, answers and losses: no green while a later code waits or was left out, and each code has its own answer', async () => {
  await fc.assert(
    fc.asyncProperty(MOVES, async (moves) => {
      const run = new Run();
      for (const move of moves) await run.move(move);
      await run.finish();
      const { asked, signals } = run.gate;
      // First requests come in the order in which the codes were read, one for each that was taken, and no other:
      // what is read again without an answer goes out under its first name.
      expect([...new Set(asked.map(({ retryName }) => retryName))]).toEqual([
        ...new Set(run.taken),
      ]);
      expect(signals.length).toBeGreaterThanOrEqual(run.taken.length + run.refused);
    }),
  );
});

test('an answer from before something unread is passed: it does not come back, and is green nowhere', async () => {
  const gate = new Gate();
  gate.read('a');
  await gate.answer('good');
  expect(lookOf(gate.queue)).toBe('good');
  gate.runner.pass();
  expect(lookOf(gate.queue)).toBe('ready');
  expect(clearIn(gate.queue).size).toBe(0);
  gate.read('b');
  gate.runner.pass();
  expect(lookOf(gate.queue)).toBe('pending');
  await gate.answer('good');
  expect(lookOf(gate.queue)).toBe('good');
  expect([...clearIn(gate.queue)]).toEqual([gate.queue[0]?.number]);
});

test('who must sign in again is told so, whatever stands before the camera', async () => {
  const gate = new Gate();
  gate.read('a');
  await gate.answer('signed_out');
  gate.runner.pass();
  expect(lookOf(gate.queue)).toBe('unknown');
});

test('a check is no open gate, and nobody is kept from going out, in what is seen and heard', () => {
  const granted = answerTo('a', true);
  const denied = answerTo('a', false);
  const cue = (attempt: Parameters<typeof cueOf>[0], answer: typeof granted) =>
    cueOf(attempt, answer);
  expect(cue({ action: 'consume' }, granted)).toBe('good');
  expect(cue({ action: 'validate' }, granted)).toBe('checked');
  expect(cue({ action: 'validate', asks: true }, granted)).toBe('unknown');
  expect(cue({ action: 'validate' }, denied)).toBe('bad');
  expect(cue({ action: 'consume', direction: 'out' }, granted)).toBe('good');
  expect(cue({ action: 'consume', direction: 'out' }, denied)).toBe('uncounted');
  expect(cue({ action: 'consume', direction: 'out' }, { kind: 'unknown' })).toBe('unknown');
});

test('people who go out on one ticket in a row are counted, also more of them than the list shows', async () => {
  const gate = new Gate();
  for (let person = 1; person <= 15; person += 1) expect(await gate.out('a')).toBe(person);
  expect(await gate.out('b')).toBe(1);
  expect(await gate.out('a')).toBe(1);
  gate.runner.pass();
  expect(await gate.out('a')).toBe(2);
  expect(await gate.out('a', 'bad')).toBeUndefined();
});

test('a person who goes out is no second one because an answer was lost', async () => {
  const gate = new Gate();
  expect(await gate.out('a')).toBe(1);
  gate.read('a', { direction: 'out' });
  await gate.answer('lost');
  gate.runner.retry(gate.queue[0]?.number ?? 0);
  await gate.answer('good');
  expect(gate.queue[0]?.state).toMatchObject({ peopleOut: 2 });
});
