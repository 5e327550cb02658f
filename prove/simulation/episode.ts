import { monthOf } from '../../src/core/clock.ts';
import type { ScanAnswer } from '../../src/core/scan-batch.ts';
import { auditEntryOf, COMMAND_LINE } from '../../src/features/actor.ts';
import { type ScanningDevice, ScanService } from '../../src/scan/scan-service.ts';
import { judgeRecord } from '../history/check-history.ts';
import type { Problem } from '../history/problem.ts';
import { type AnswerLine, historyFrom, type RecordLine } from '../history/record.ts';
import { Random } from '../world/random.ts';
import { faultyStore } from './faulty-store.ts';
import { memoryFacts } from './memory-facts.ts';
import { buildTown, type Town, type TownTicket } from './town.ts';
import { VirtualTime } from './virtual-time.ts';

export interface Episode {
  readonly seed: number;
  readonly problems: Problem[];
  readonly lines: readonly RecordLine[];
  readonly facts: {
    readonly scans: number;
    readonly granted: number;
    readonly unknown: number;
    readonly crashes: number;
  };
}

interface TownScan {
  readonly key: Town['keys'][number];
  readonly action: 'consume' | 'validate';
  readonly ticket: TownTicket;
  readonly retry?: string | undefined;
  readonly device?: ScanningDevice;
}

const PROCESSES = 3;
const CLIENTS = 60;
const HOT_TICKETS = 12;
const PATIENCE_MS = 80;
const LOSS_CHANCE = 0.004;
const CRASH_EVERY_MS = 400;
const CHANGE_EVERY_MS = 600;
const CLOCK_EVERY_MS = 700;
const CLOCK_STEP_SECONDS_MAX = 3600;
const RETRY_WINDOW_MS = 100;
/**
 * Between two visits of a card to the same reader. The clock steps by whole seconds, and a reader sees three visits: no
 * two of them are ever within the retry window of each other, by whichever clock.
 */
const VISIT_EVERY_MS = 330;
const VISITS = 3;
const DEVICES = 4;
const ATTEMPTS = 3;

/** Runs one simulated day of a few thousand scans; the same seed gives the same day. */
export async function runEpisode(seed: number, scans: number): Promise<Episode> {
  const day = new Day(seed, scans);
  return day.run();
}

class Day {
  readonly #seed: number;
  readonly #scansMax: number;
  readonly #random: Random;
  readonly #time = new VirtualTime();
  readonly #lines: RecordLine[] = [];
  readonly #processes: (ScanService | undefined)[] = [];
  #town!: Town;
  #scans = 0;
  #granted = 0;
  #unknown = 0;
  #crashes = 0;
  #lastId = 0;
  #names = 0;
  /** Requests with a name that may be repeated still. */
  #named = 0;
  #mayName = true;

  constructor(seed: number, scans: number) {
    this.#seed = seed;
    this.#scansMax = scans;
    this.#random = new Random(seed);
  }

  async run(): Promise<Episode> {
    this.#town = await buildTown(this.#time, this.#random.fork());
    for (let index = 0; index < PROCESSES; index += 1) this.#start(index);
    for (let index = 0; index < CLIENTS; index += 1) void this.#client(this.#random.fork());
    for (let index = 0; index < DEVICES; index += 1) void this.#device(this.#random.fork());
    void this.#crash(this.#random.fork());
    void this.#change(this.#random.fork());
    void this.#stepClock(this.#random.fork());
    await this.#time.runToEnd();
    const { keys, store } = this.#town;
    const month = monthOf(this.#time.now());
    const facts = await memoryFacts(
      store,
      keys.map(({ id }) => id),
      [month],
    );
    for (const { id, ratePerSecond, burst, quotaPerMonth } of keys) {
      const servers = PROCESSES + this.#crashes;
      this.#lines.push({ type: 'limits', key: id, ratePerSecond, burst, quotaPerMonth, servers });
    }
    const problems = judgeRecord(historyFrom(this.#lines), facts, this.#scansMax / 2);
    const [scans, granted, unknown, crashes] = [
      this.#scans,
      this.#granted,
      this.#unknown,
      this.#crashes,
    ];
    return {
      seed: this.#seed,
      problems,
      lines: this.#lines,
      facts: { scans, granted, unknown, crashes },
    };
  }

  get #isOver(): boolean {
    return this.#scans >= this.#scansMax;
  }

  #newName(): string {
    this.#names += 1;
    return `name-${this.#names}`;
  }

  #start(index: number): void {
    const store = faultyStore(this.#town.store, this.#time, this.#random.fork());
    const { keyring } = this.#town;
    this.#processes[index] = new ScanService({
      store,
      keyring: () => keyring,
      clock: this.#time,
      deviceRetryWindowMs: RETRY_WINDOW_MS,
    });
  }

  async #client(random: Random): Promise<void> {
    const { keys, tickets } = this.#town;
    while (!this.#isOver) {
      const key = random.pick(keys);
      const ticket = random.pick(random.chance(0.5) ? tickets.slice(0, HOT_TICKETS) : tickets);
      const action = random.chance(0.2) ? 'validate' : 'consume';
      const named = action === 'consume' && random.chance(0.3) && this.#mayName;
      const retry = named ? this.#newName() : undefined;
      await this.#askAgain(random, { key, action, ticket, retry });
      await this.#time.sleep(random.between(0, 10));
    }
  }

  /**
   * The same card comes back to a reader: each visit must be decided anew, after the retry window where the device says
   * who it is, and at once where it does not, because the next visit may be to another device.
   */
  async #device(random: Random): Promise<void> {
    const keys = this.#town.keys.filter(({ type }) => type === 'hardware');
    while (!this.#isOver) {
      const serial = random.chance(0.5) ? this.#newName() : null;
      const device = { model: 'access-controller', serial, reader: '0' };
      const ticket = random.pick(this.#town.tickets);
      const key = random.pick(keys);
      for (let visit = 0; visit < VISITS; visit += 1) {
        const over = this.#time.sleep(serial === null ? 0 : VISIT_EVERY_MS);
        await this.askOnce(random, { key, action: 'consume', ticket, device });
        await over;
      }
    }
  }

  /** Who gets no answer asks again where that is safe. */
  async #askAgain(random: Random, scan: TownScan): Promise<void> {
    if (scan.retry === undefined) {
      await this.askOnce(random, scan);
      return;
    }
    this.#named += 1;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (await this.askOnce(random, scan)) break;
    }
    this.#named -= 1;
  }

  /** True when there was an answer. */
  async askOnce(random: Random, scan: TownScan): Promise<boolean> {
    const { key, action, ticket, retry } = scan;
    this.#scans += 1;
    this.#lastId += 1;
    const id = this.#lastId;
    const at = this.#time.monotonicMs();
    const named = retry === undefined ? {} : { retry };
    this.#lines.push({ type: 'invoke', id, at, action, key: key.id, ticket: ticket.id, ...named });
    const answer = await Promise.race([
      this.#overNetwork(random, scan),
      this.#time.sleep(PATIENCE_MS),
    ]);
    const line = answer && lineFrom(answer);
    if (line) this.#lines.push({ ...line, id, at: this.#time.monotonicMs() });
    else this.#lines.push({ type: 'unknown', id, at: this.#time.monotonicMs(), why: 'no answer' });
    if (!line) this.#unknown += 1;
    else if (line.type === 'ok' && action === 'consume') this.#granted += 1;
    return line !== undefined;
  }

  /** Requests and answers take their time and get lost; a process that died answers nobody. */
  async #overNetwork(
    random: Random,
    { key, action, ticket: { code }, retry: name, device }: TownScan,
  ): Promise<ScanAnswer | undefined> {
    const index = random.between(0, PROCESSES - 1);
    await this.#time.sleep(random.between(0, 15));
    const service = this.#processes[index];
    if (!service || random.chance(LOSS_CHANCE)) return this.#silence();
    try {
      const access = await service.findKey(key.value, key.type);
      if (!access) return { kind: 'key_refused' };
      const body = Buffer.from(code);
      const retry = name === undefined ? undefined : { name, body, language: 'en' as const };
      const asked = { key: access, operation: action, ticketCode: code, retry };
      const answer = await service.scan(device ? { ...asked, device } : asked);
      if (this.#processes[index] !== service || random.chance(LOSS_CHANCE)) return this.#silence();
      await this.#time.sleep(random.between(0, 15));
      return answer;
    } catch {
      return undefined;
    }
  }

  #silence(): Promise<undefined> {
    return new Promise(() => {});
  }

  async #crash(random: Random): Promise<void> {
    while (!this.#isOver) {
      await this.#time.sleep(random.between(1, 2 * CRASH_EVERY_MS));
      const index = random.between(0, PROCESSES - 1);
      this.#processes[index] = undefined;
      this.#crashes += 1;
      await this.#time.sleep(random.between(1, 300));
      this.#start(index);
    }
  }

  async #change(random: Random): Promise<void> {
    const key = this.#town.keys[1];
    if (!key) return;
    while (!this.#isOver) {
      await this.#time.sleep(random.between(1, CHANGE_EVERY_MS));
      await this.#changed('disable', { key: key.id });
      await this.#changed('cancel', { ticket: random.pick(this.#town.tickets).id });
      await this.#time.sleep(random.between(1, CHANGE_EVERY_MS));
      await this.#changed('enable', { key: key.id });
    }
  }

  async #changed(
    action: 'disable' | 'enable' | 'cancel',
    asked: { key?: string; ticket?: string },
  ): Promise<void> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#lines.push({ type: 'invoke', id, at: this.#time.monotonicMs(), action, ...asked });
    await this.#time.sleep(1);
    const { store } = this.#town;
    const { ticket, key } = asked;
    const did = { act: action, subject: ticket ?? key ?? '', organisationId: null };
    const act = auditEntryOf(COMMAND_LINE, this.#time, did);
    if (ticket !== undefined) await store.cancelTickets([ticket], this.#time.now(), act);
    const before = key === undefined ? undefined : await store.read('key', key);
    if (before) {
      const after = { ...before, active: action === 'enable' };
      await store.write({ records: [{ kind: 'key', before, after }], audit: [act] });
    }
    await this.#time.sleep(1);
    this.#lines.push({ type: 'ok', id, at: this.#time.monotonicMs(), status: 'changed' });
  }

  /** Not while a request is repeated: an answer from before a clock was set back is none, and the repeat is another use. */
  async #stepClock(random: Random): Promise<void> {
    let offset = 0;
    while (!this.#isOver) {
      await this.#time.sleep(random.between(1, CLOCK_EVERY_MS));
      this.#mayName = false;
      while (this.#named > 0) await this.#time.sleep(1);
      this.#mayName = true;
      const next = random.between(-CLOCK_STEP_SECONDS_MAX, CLOCK_STEP_SECONDS_MAX) * 1000;
      this.#time.stepWallClock(next - offset);
      offset = next;
    }
  }
}

function lineFrom(answer: ScanAnswer): Omit<AnswerLine, 'id' | 'at'> | undefined {
  switch (answer.kind) {
    case 'quota_exceeded':
      return { type: 'fail', status: 'limited' };
    case 'key_refused':
    case 'limited':
    case 'retry_conflict':
    case 'bad_retry_name':
      return { type: 'fail', status: answer.kind };
    case 'decided': {
      const { decision } = answer;
      const granted = decision.status === 'consumed' || decision.status === 'validated';
      return {
        type: granted ? 'ok' : 'fail',
        status: decision.status,
        ...('reason' in decision && { reason: decision.reason }),
        ...('ticket' in decision && {
          usesConsumed: decision.ticket.usesConsumed,
          usesAllowed: decision.ticket.usesAllowed,
        }),
        ...('scannedAt' in decision && { scannedAt: new Date(decision.scannedAt).toISOString() }),
      };
    }
  }
}
