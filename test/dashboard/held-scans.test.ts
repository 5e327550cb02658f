import { describe, expect, test } from 'vitest';
import { DESK_TEXTS } from '../../src/dashboard/i18n/desk-texts.ts';
import { wordFor } from '../../src/dashboard/pages/scan-word.ts';
import {
  clearIn,
  heldIn,
  isRefusedBehindHeld,
  lookOf,
  type Signal,
  shownIn,
} from '../../src/dashboard/scanner/scan-queue.ts';
import type {
  ScanAnswer,
  ScanAttempt,
  ScanResult,
} from '../../src/dashboard/scanner/scan-requests.ts';
import { ScanRunner } from '../../src/dashboard/scanner/scan-runner.ts';
import { UnansweredScans } from '../../src/dashboard/scanner/unanswered-scans.ts';

/** Answers that a person must see before the next scan is asked about. */
class Desk {
  readonly asked: ScanAttempt[] = [];
  readonly signals: Signal[] = [];
  holdsMarks = true;
  marked = new Set<string>();
  denied = new Set<string>();
  kept: string | undefined;
  #names = 0;
  readonly runner = new ScanRunner({
    unanswered: new UnansweredScans(
      'acc_1',
      {
        read: () => this.kept,
        write: (text) => {
          this.kept = text;
        },
      },
      () => 0,
    ),
    ask: async (attempt) => {
      this.asked.push(attempt);
      return this.#answerTo(attempt);
    },
    wait: async () => undefined,
    now: () => 0,
    holdsMarks: () => this.holdsMarks,
    onSignal: (signal) => this.signals.push(signal),
  });

  constructor() {
    this.runner.open();
  }

  #answerTo({ ticketCode, action }: ScanAttempt): ScanAnswer {
    const valid = !this.denied.has(ticketCode);
    const granted = action === 'consume' ? 'consumed' : 'validated';
    const status: ScanResult['status'] = valid ? granted : 'exhausted';
    const attention = this.marked.has(ticketCode);
    return { kind: 'decided', result: { valid, status, ticketId: ticketCode, attention } };
  }

  async read(ticketCode: string, more: Partial<ScanAttempt> = {}): Promise<void> {
    this.#names += 1;
    const attempt = { key: null, ticketCode, retryName: `n${this.#names}` };
    this.runner.read({ action: 'consume', ...attempt, ...more });
    await settle();
  }

  ask = (ticketCode: string) => this.read(ticketCode, { action: 'validate', asks: true });

  async letIn(ticketCode: string): Promise<void> {
    const attempt = { key: null, ticketCode, retryName: 'let in' };
    this.runner.letIn({ action: 'consume', ...attempt, isSeen: true, uses: 2 });
    await settle();
  }

  async release(): Promise<void> {
    this.runner.release();
    await settle();
  }

  get look() {
    return lookOf(this.runner.queue());
  }

  get shown() {
    return shownIn(this.runner.queue())?.attempt.ticketCode;
  }

  /** The word of the newest scan, in large letters and in the list. */
  get word() {
    const [newest] = this.runner.queue();
    return newest && wordFor(newest, DESK_TEXTS.en);
  }

  get askedFor() {
    return this.asked.map(({ ticketCode, action }) => `${action} ${ticketCode}`);
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await undefined;
}

describe('a marked ticket', () => {
  test.each(['admitted', 'denied'])('keeps its answer until a tap, %s', async (what) => {
    const desk = new Desk();
    desk.marked.add('a');
    if (what === 'denied') desk.denied.add('a');
    await desk.read('a');
    expect(desk.look).toBe(what === 'denied' ? 'bad' : 'good');
    await desk.read('b');
    // Nothing is green while another waits.
    expect([desk.shown, desk.look, clearIn(desk.runner.queue()).size]).toEqual(['a', 'pending', 0]);
    expect(desk.askedFor).toEqual(['consume a']);
    await desk.release();
    expect([desk.shown, desk.look]).toEqual(['b', 'good']);
    expect(desk.askedFor).toEqual(['consume a', 'consume b']);
  });

  test('that is read again while it is held is no other scan', async () => {
    const desk = new Desk();
    desk.marked.add('a');
    await desk.read('a');
    await desk.read('a');
    await desk.release();
    expect(desk.askedFor).toEqual(['consume a']);
    expect(desk.look).toBe('good');
  });

  test('does not wait where the device switched that off, nor where a person has seen it before', async () => {
    const desk = new Desk();
    desk.marked.add('a');
    desk.holdsMarks = false;
    await desk.read('a');
    expect(heldIn(desk.runner.queue())).toBeUndefined();
    desk.holdsMarks = true;
    await desk.read('a', { byHand: true, isSeen: true });
    expect(heldIn(desk.runner.queue())).toBeUndefined();
  });

  test('is still held, and says so, when more codes come than wait and are listed', async () => {
    const desk = new Desk();
    desk.marked.add('a');
    await desk.read('a');
    await desk.read('b0');
    expect(isRefusedBehindHeld(desk.runner.queue())).toBe(false);
    for (let guest = 1; guest < 30; guest += 1) await desk.read(`b${guest}`);
    expect([desk.shown, desk.look]).toEqual(['a', 'pending']);
    expect(desk.askedFor).toEqual(['consume a']);
    expect(isRefusedBehindHeld(desk.runner.queue())).toBe(true);
    await desk.release();
    // Each answer stays in the list, however many codes were refused behind it.
    const answered = desk.runner.queue().filter(({ state }) => state.step === 'answered');
    expect(answered.map(({ attempt }) => attempt.ticketCode)).toEqual([
      'b4',
      'b3',
      'b2',
      'b1',
      'b0',
      'a',
    ]);
    expect(desk.runner.queue().length).toBeLessThanOrEqual(16);
  });

  test.each(['before', 'after'])(
    'waits for its tap while the page is left, answered %s that',
    async (when) => {
      const desk = new Desk();
      desk.marked.add('a');
      if (when === 'before') await desk.read('a');
      else void desk.read('a');
      void desk.read('b');
      desk.runner.show(false);
      await settle();
      desk.runner.show(true);
      expect([desk.shown, desk.look]).toEqual(['a', 'pending']);
      expect(desk.askedFor).toEqual(['consume a']);
      await desk.release();
      expect(desk.askedFor).toEqual(['consume a', 'consume b']);
    },
  );

  test('is not passed over by a ticket that is let in by hand, be it the same', async () => {
    const desk = new Desk();
    desk.marked.add('a');
    await desk.read('a');
    desk.runner.endQuestion();
    await desk.read('a', { byHand: true, isSeen: true });
    expect(desk.askedFor).toEqual(['consume a']);
    await desk.release();
    expect(desk.askedFor).toEqual(['consume a', 'consume a']);
  });

  test('is not green again where another guest may stand there', async () => {
    const desk = new Desk();
    desk.marked.add('a');
    await desk.read('a');
    desk.runner.pass();
    expect([desk.shown, desk.look]).toEqual(['a', 'pending']);
    await desk.release();
    expect(desk.look).toBe('ready');
  });
});

describe('a question', () => {
  test('is neutral, is heard as neither good nor bad, and takes nothing', async () => {
    const desk = new Desk();
    await desk.ask('a');
    expect([desk.look, desk.signals]).toEqual(['question', ['unknown']]);
    expect(desk.askedFor).toEqual(['validate a']);
  });

  test('is answered before the next ticket is asked about, which then has its own', async () => {
    const desk = new Desk();
    await desk.ask('a');
    await desk.ask('b');
    expect([desk.shown, desk.look]).toEqual(['a', 'question']);
    await desk.letIn('a');
    expect(desk.askedFor).toEqual(['validate a', 'consume a', 'validate b']);
    expect(desk.asked[1]).toMatchObject({ uses: 2, isSeen: true });
    expect([desk.shown, desk.look]).toEqual(['b', 'question']);
    expect(desk.signals).toEqual(['unknown', 'good', 'unknown']);
  });

  test.each(['release', 'show'] as const)(
    'that is over by %s is gone, and nobody was let in',
    async (how) => {
      const desk = new Desk();
      await desk.ask('a');
      expect(desk.word).toBe('LET IN?');
      if (how === 'show') desk.runner.show(false);
      else desk.runner.release();
      await settle();
      expect([desk.look, desk.word]).toEqual(['ready', 'NOT LET IN']);
      await desk.letIn('a');
      expect(desk.askedFor).toEqual(['validate a']);
    },
  );

  test('is none where the ticket is refused', async () => {
    const desk = new Desk();
    desk.denied.add('a');
    await desk.ask('a');
    expect([desk.look, desk.signals]).toEqual(['bad', ['bad']]);
    expect(heldIn(desk.runner.queue())).toBeUndefined();
  });
});
