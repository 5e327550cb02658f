import { expect, test } from 'vitest';
import { lookOf } from '../../src/dashboard/scanner/scan-queue.ts';
import type { ScanAnswer, ScanAttempt } from '../../src/dashboard/scanner/scan-requests.ts';
import { ScanRunner } from '../../src/dashboard/scanner/scan-runner.ts';
import { UnansweredScans } from '../../src/dashboard/scanner/unanswered-scans.ts';

const MINUTE = 60_000;
const TURNS = 30;

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await undefined;
}

const ID = 'tkt_abcdef_0123456789abcdefghij';
const CODE = `TS1.${ID}.signature`;
const OTHER = 'TS1.tkt_abcdef_9876543210abcdefghij.signature';

type Answer = ScanAnswer | 'lost' | 'never';
const CONSUMED: Answer = { kind: 'decided', result: { valid: true, status: 'consumed' } };
const BUSY: Answer = { kind: 'too_many', retryAfterMs: 1000 };

/** A browser with a server that takes one use for each name, whatever becomes of its answer. */
class Browser {
  kept: string | undefined;
  now = 1_000_000_000;
  /** The names under which each text was asked about. */
  readonly names: Record<string, string[]> = {};
  answers: Answer[] = [];
  #reads = 0;

  open(account = 'acc_1', isKept = true): Tab {
    const kept = {
      read: () => (isKept ? this.kept : undefined),
      write: (text: string | undefined) => {
        this.kept = text;
      },
    };
    return new Tab(this, new UnansweredScans(account, kept, () => this.now));
  }

  async ask({ ticketCode, action, retryName }: ScanAttempt): Promise<ScanAnswer> {
    if (action === 'consume') {
      this.names[ticketCode] = [...(this.names[ticketCode] ?? []), retryName];
    }
    const answer = this.answers.shift() ?? CONSUMED;
    if (answer === 'never') return new Promise(() => undefined);
    if (answer === 'lost') throw new Error('the connection was reset');
    return answer;
  }

  newName(): string {
    this.#reads += 1;
    return `name ${this.#reads}`;
  }

  /** How many uses the ticket has taken. */
  get uses(): number {
    return new Set([...(this.names[CODE] ?? []), ...(this.names[ID] ?? [])]).size;
  }
}

class Tab {
  readonly runner: ScanRunner;
  readonly #browser: Browser;

  constructor(browser: Browser, unanswered: UnansweredScans) {
    this.#browser = browser;
    this.runner = new ScanRunner({
      unanswered,
      ask: (attempt) => browser.ask(attempt),
      wait: async () => undefined,
      now: () => 0,
      holdsMarks: () => true,
      onSignal: () => undefined,
    });
    this.runner.open();
  }

  async read(ticketCode: string, scan: Partial<ScanAttempt> = {}): Promise<void> {
    const retryName = this.#browser.newName();
    this.runner.read({ action: 'consume', key: null, ticketCode, retryName, ...scan });
    await settle();
  }

  async tryAgain(): Promise<void> {
    this.runner.retry(this.runner.queue()[0]?.number ?? 0);
    await settle();
  }
}

/** What a steward does after the first scan of a ticket came to nothing; the last of it is another read of the ticket. */
type Gesture = (tab: Tab, browser: Browser) => Promise<unknown>;

/**
 * Every way in which nobody knows what became of a scan, and what a steward does then. A new way belongs in here: the ticket has one
 * use less, never two.
 */
const ONE_USE: Record<string, Gesture> = {
  'the same ticket is read again': (tab) => tab.read(CODE),
  'Try again': (tab) => tab.tryAgain(),
  'read again, and Try again on what is left': async (tab) => {
    await tab.read(CODE);
    for (const { number } of tab.runner.queue()) tab.runner.retry(number);
  },
  'read again and lost again, three times': async (tab, browser) => {
    browser.answers = ['lost', 'lost', 'lost'];
    for (let time = 0; time < 4; time += 1) await tab.read(CODE);
  },
  'another ticket in between': async (tab) => {
    await tab.read(OTHER);
    await tab.read(CODE);
  },
  'more tickets in between than the list shows': async (tab) => {
    for (let guest = 0; guest < 30; guest += 1) await tab.read(`guest ${guest}`);
    await tab.read(CODE);
  },
  'the identifier is typed': (tab) => tab.read(ID),
  'the identifier is typed as it is printed': (tab, browser) =>
    tab.read(`TKT_ABCDEF 0123456789ABCDEFGHIJ`.replace(' ', '_')).then(() => {
      browser.names[ID] = browser.names['TKT_ABCDEF_0123456789ABCDEFGHIJ'] ?? [];
    }),
  'checked in between, then admitted': async (tab) => {
    await tab.read(CODE, { action: 'validate' });
    await tab.read(CODE);
  },
  'the page is loaded again': (_, browser) => browser.open().read(CODE),
  'another tab of the browser': (_, browser) => browser.open().read(CODE),
  'the page is loaded again while it is asked': async (_, browser) => {
    browser.answers = ['never'];
    await browser.open().read(CODE);
    await browser.open().read(CODE);
  },
  'the same account signs in again': async (tab, browser) => {
    tab.runner.close();
    await browser.open().read(CODE);
  },
  'another account was signed in between': async (tab, browser) => {
    tab.runner.close();
    browser.open('acc_2').runner.close();
    await browser.open().read(CODE);
  },
  'the session has ended when it is read again': async (tab, browser) => {
    browser.answers = [{ kind: 'signed_out' }];
    await tab.read(CODE);
    tab.runner.close();
    await browser.open().read(CODE);
  },
  'too many requests when it is read again': async (tab, browser) => {
    browser.answers = [BUSY, 'lost'];
    await tab.read(CODE);
    await tab.read(CODE);
  },
  'too many requests, and the waiting is stopped': async (tab, browser) => {
    browser.answers = [BUSY];
    const read = tab.read(CODE);
    tab.runner.stopWaiting();
    await read;
    await tab.read(CODE);
  },
  'nine minutes later': async (tab, browser) => {
    browser.now += 9 * MINUTE;
    await tab.read(CODE);
  },
  'the clock is set back in between': async (tab, browser) => {
    browser.now -= 5 * MINUTE;
    await tab.read(CODE);
  },
  'each nine minutes without an answer': async (tab, browser) => {
    browser.answers = ['lost', 'lost'];
    for (let time = 0; time < 3; time += 1) {
      browser.now += 9 * MINUTE;
      await tab.read(CODE);
    }
  },
};

test.each(Object.keys(ONE_USE))('a scan without an answer, and then: %s', async (way) => {
  const browser = new Browser();
  const tab = browser.open();
  browser.answers = ['lost'];
  await tab.read(CODE);
  expect(lookOf(tab.runner.queue())).toBe('unknown');
  await ONE_USE[way]?.(tab, browser);
  await settle();
  expect(browser.uses).toBe(1);
  const rows = tab.runner.queue().filter(({ attempt }) => attempt.retryName === 'name 1');
  expect(rows.length).toBeLessThanOrEqual(1);
});

/** What is another scan: it takes a use of its own, or is refused as such. */
const ANOTHER_SCAN: Record<string, Gesture> = {
  'its answer has come': async (tab) => {
    await tab.read(CODE);
    await tab.read(CODE);
  },
  'eleven minutes later': async (tab, browser) => {
    browser.now += 11 * MINUTE;
    await tab.read(CODE);
  },
  'by another account': (_, browser) => browser.open('acc_2').read(CODE),
  'with a key': (tab) => tab.read(CODE, { key: 'tscn_api_1' }),
};

test.each(Object.keys(ANOTHER_SCAN))('another scan of the ticket: %s', async (way) => {
  const browser = new Browser();
  const tab = browser.open();
  browser.answers = ['lost'];
  await tab.read(CODE);
  await ANOTHER_SCAN[way]?.(tab, browser);
  expect(browser.uses).toBe(2);
});

test('a code with the identifier of another is not that scan', async () => {
  const browser = new Browser();
  const tab = browser.open();
  browser.answers = ['lost'];
  await tab.read(CODE);
  const forged = `TS1.${ID}.forged`;
  await tab.read(forged);
  expect(browser.names[forged]).toEqual(['name 2']);
});

test('a read while another of the same ticket is asked about is the same scan, though another ticket came between', async () => {
  const browser = new Browser();
  const tab = browser.open();
  browser.answers = ['never'];
  await tab.read(CODE);
  await tab.read(OTHER);
  await tab.read(CODE);
  const names = tab.runner.queue().map(({ attempt }) => attempt.retryName);
  expect(names).toEqual(['name 1', 'name 2', 'name 1']);
});

test('a browser that keeps nothing knows them as long as the page is open', async () => {
  const browser = new Browser();
  const tab = browser.open('acc_1', false);
  browser.answers = ['lost'];
  await tab.read(CODE);
  await tab.read(CODE);
  expect(browser.uses).toBe(1);
});

test.each(['', '{', '{}', 'null'])('what is kept may be damaged: %j', async (kept) => {
  const browser = new Browser();
  browser.kept = kept;
  const tab = browser.open();
  await tab.read(CODE);
  expect(lookOf(tab.runner.queue())).toBe('good');
});

test('no code, identifier, key or account is kept', async () => {
  const browser = new Browser();
  const tab = browser.open('acc_1');
  browser.answers = ['lost', 'lost'];
  await tab.read(CODE, { key: 'tscn_api_1' });
  await tab.read(ID);
  expect(browser.kept).toContain('fghij');
  expect(browser.kept).not.toMatch(/0123456789|signature|tkt_|tscn|acc_/u);
});

test('after a reload the page says which scans were lost, until each is read again or that was read', async () => {
  const browser = new Browser();
  const tab = browser.open();
  browser.answers = ['never'];
  await tab.read(CODE);
  await tab.read(OTHER);
  const ends = (one: Tab) => one.runner.lost().map(({ end, isAsked }) => [end, isAsked]);
  expect(ends(tab)).toEqual([]);
  const again = browser.open();
  expect(ends(again)).toEqual([
    ['fghij', false],
    ['fghij', true],
  ]);
  expect(ends(browser.open('acc_2'))).toEqual([]);
  await again.read(CODE);
  expect(ends(again)).toHaveLength(1);
  again.runner.forgetLost();
  expect(ends(again)).toEqual([]);
  // They were not scanned: a reload tells it again.
  expect(ends(browser.open())).toHaveLength(1);
  browser.now += 60 * MINUTE;
  const later = browser.open();
  expect(ends(later)).toHaveLength(1);
  later.runner.forgetLost();
  expect(ends(browser.open())).toEqual([]);
});

test('an answer that comes after the end of the session is seen by nobody: the scan is told as lost', async () => {
  const browser = new Browser();
  const tab = browser.open();
  const read = tab.read(CODE);
  tab.runner.close();
  await read;
  const again = browser.open();
  expect(again.runner.lost()).toHaveLength(1);
  await again.read(CODE);
  expect(browser.uses).toBe(1);
});

test('the list has a bound, and loses the oldest', async () => {
  const browser = new Browser();
  const tab = browser.open();
  const many = 80;
  browser.answers = Array.from({ length: many }, () => 'lost');
  for (let guest = 0; guest < many; guest += 1) await tab.read(`guest ${guest}`);
  expect(JSON.parse(browser.kept ?? '')).toHaveLength(60);
  await tab.read(`guest ${many - 1}`);
  expect(new Set(browser.names[`guest ${many - 1}`])).toHaveLength(1);
});
