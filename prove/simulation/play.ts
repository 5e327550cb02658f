import { monthOf } from '../../src/core/clock.ts';
import type { ScanAnswer } from '../../src/core/scan-requests.ts';
import { auditEntryOf, COMMAND_LINE } from '../../src/features/actor.ts';
import { ScanService } from '../../src/scan/scan-service.ts';
import { judgeRecord } from '../history/check-history.ts';
import type { Problem } from '../history/problem.ts';
import { historyFrom, type RecordLine } from '../history/record.ts';
import { faultyStore } from './faulty-store.ts';
import { memoryFacts } from './memory-facts.ts';
import { lineFrom, requestFor } from './messages.ts';
import {
  type Access,
  type Card,
  type Plan,
  PROCESSES,
  type Scan,
  type Step,
  type Trip,
} from './plan.ts';
import { buildTown, meantBy, type Town } from './town.ts';
import { VirtualTime } from './virtual-time.ts';

/** What happened, and how often: enough of each must have, or the run has proven nothing. */
export type Counts = typeof NO_COUNTS;

export const NO_COUNTS = {
  scans: 0,
  granted: 0,
  refused: 0,
  limited: 0,
  unknown: 0,
  repeated: 0,
  crashes: 0,
};

/** A plan that was played, with the verdict of the judge. */
export interface Played {
  readonly problems: readonly Problem[];
  readonly lines: readonly RecordLine[];
  readonly counts: Counts;
  /** The accesses to the store; the disk had that many chances to fail. */
  readonly accesses: number;
  readonly town: Town;
}

/** How long a client waits for an answer. */
const PATIENCE_MS = 80;
/** A repeat is read at most 111 ms after the first request (patience, network, look-up of the key): within the window. */
const RETRY_WINDOW_MS = 150;
/**
 * The time between two visits of a card to the same reader. The clock steps by whole seconds, and a reader sees three visits: no
 * two of them are ever within the retry window of each other, by whichever clock. So each is decided anew.
 */
const VISIT_EVERY_MS = 330;
const QUICK: Access = { beforeMs: 1, afterMs: 0, fails: 'never' };

/** Plays a plan with the real service on a time, network and store of its own; the same plan gives the same record. */
export async function play(plan: Plan): Promise<Played> {
  const time = new VirtualTime();
  return new Player(plan, time, await buildTown(time)).play();
}

class Player {
  readonly #plan: Plan;
  readonly #time: VirtualTime;
  readonly #town: Town;
  readonly #lines: RecordLine[] = [];
  readonly #processes: (ScanService | undefined)[] = [];
  readonly #counts = { ...NO_COUNTS };
  #accesses = 0;
  #servers = 0;
  /** Ends with the last step of the clock so far. */
  #clock: Promise<unknown> = Promise.resolve();
  #wallOffsetMs = 0;
  /** Requests that may be repeated still, and those before them. */
  readonly #repeating: Promise<unknown>[] = [];
  /** Ends with the last change so far: an administrator makes one after another. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(plan: Plan, time: VirtualTime, town: Town) {
    this.#plan = plan;
    this.#time = time;
    this.#town = town;
  }

  async play(): Promise<Played> {
    this.#tellClock();
    for (let index = 0; index < PROCESSES; index += 1) this.#start(index);
    await Promise.all([this.#takeSteps(), this.#time.runToEnd()]);
    const { sites, store } = this.#town;
    for (const { limits, keys } of sites) {
      for (const { id } of keys)
        this.#lines.push({ type: 'limits', key: id, ...limits, servers: this.#servers });
    }
    const keyIds = sites.flatMap(({ keys }) => keys.map(({ id }) => id));
    const facts = await memoryFacts(store, keyIds, [monthOf(this.#time.now())]);
    const problems = judgeRecord(historyFrom(this.#lines), facts, 0);
    const repeated = facts.log.filter(({ replayed }) => replayed).length;
    const counts = { ...this.#counts, repeated };
    return { problems, lines: this.#lines, counts, accesses: this.#accesses, town: this.#town };
  }

  #start(index: number): void {
    const { store, keyring } = this.#town;
    const nextAccess = () => {
      this.#accesses += 1;
      return this.#plan.disk[this.#accesses - 1] ?? QUICK;
    };
    this.#servers += 1;
    this.#processes[index] = new ScanService({
      store: faultyStore(store, this.#time, nextAccess),
      keyring: () => keyring,
      clock: this.#time,
      deviceRetryWindowMs: RETRY_WINDOW_MS,
    });
  }

  async #takeSteps(): Promise<void> {
    const underWay: Promise<unknown>[] = [];
    for (const [index, step] of this.#plan.steps.entries()) {
      if (step.waitMs > 0) await this.#time.sleep(step.waitMs);
      underWay.push(this.#take(index + 1, step));
    }
    await Promise.all(underWay);
  }

  #take(place: number, step: Step): Promise<unknown> {
    switch (step.does) {
      case 'scan':
        return step.name === 'none' ? this.#ask(place, 0, step) : this.#askAgain(place, step);
      case 'card':
        return this.#visit(place, step);
      case 'crash':
        return this.#crash(step.process, step.downMs);
      case 'clock':
        return this.#setClock(step.seconds * 1000);
      case 'cancel':
      case 'enable':
      case 'disable':
        this.#changes = this.#changes.then(() => this.#change(place, step));
        return this.#changes;
    }
  }

  /**
   * Who gets no answer asks again where that is safe. Not while the clock is set: an answer from before it was set back is
   * none, and the repeat would be another use. So either waits until the other is over, in the order of the plan. A device
   * waits for those as well who read the clock before it was set back: by more than a few seconds, and what has expired for them
   * is forgotten.
   */
  #askAgain(place: number, scan: Scan): Promise<unknown> {
    const repeating = this.#clock.then(async () => {
      if (scan.name === 'serial') await this.#time.sleep(PATIENCE_MS);
      for (const [index] of scan.trips.entries()) {
        if (await this.#ask(place, index, scan)) return;
      }
    });
    this.#repeating.push(repeating);
    return repeating;
  }

  #setClock(offsetMs: number): Promise<unknown> {
    this.#clock = Promise.all([this.#clock, ...this.#repeating]).then(() => {
      this.#time.stepWallClock(offsetMs - this.#wallOffsetMs);
      this.#wallOffsetMs = offsetMs;
      this.#tellClock();
    });
    return this.#clock;
  }

  #tellClock(): void {
    this.#lines.push({ type: 'clock', at: this.#time.monotonicMs(), wall: this.#time.now() });
  }

  /** Visits the places of the card's trips, after the retry window where the device says who it is, else at once: the next may be another device. */
  async #visit(place: number, card: Card): Promise<void> {
    for (const [index] of card.trips.entries()) {
      const next = this.#time.sleep(card.hasSerial ? VISIT_EVERY_MS : 0);
      await this.#ask(place, index, card);
      await next;
    }
  }

  async #crash(index: number, downMs: number): Promise<void> {
    this.#processes[index] = undefined;
    this.#counts.crashes += 1;
    await this.#time.sleep(downMs);
    if (!this.#processes[index]) this.#start(index);
  }

  /** @returns true when there was an answer */
  async #ask(place: number, index: number, scan: Scan | Card): Promise<boolean> {
    const trip = scan.trips[index];
    const { key, ticket } = meantBy(this.#town, scan);
    if (!trip) return true;
    this.#counts.scans += 1;
    const id = idOf(place, index);
    const isNamed = scan.does === 'scan' && scan.name !== 'none';
    this.#lines.push({
      type: 'invoke',
      id,
      at: this.#time.monotonicMs(),
      action: scan.does === 'card' ? 'consume' : scan.action,
      key: key.id,
      ticket: ticket.id,
      ...(isNamed && { retry: `name-${place}` }),
    });
    const asked = this.#overNetwork(place, scan, trip);
    const answer = await Promise.race([asked, this.#time.sleep(PATIENCE_MS)]);
    const line = answer && lineFrom(answer);
    const at = this.#time.monotonicMs();
    this.#lines.push(line ? { ...line, id, at } : { type: 'unknown', id, at, why: 'no answer' });
    if (!line) this.#counts.unknown += 1;
    else if (line.status === 'limited') this.#counts.limited += 1;
    else if (line.type === 'fail') this.#counts.refused += 1;
    else if (line.status === 'consumed') this.#counts.granted += 1;
    return line !== undefined;
  }

  /** Requests and answers take their time and get lost; a process that died answers nobody. */
  async #overNetwork(
    place: number,
    scan: Scan | Card,
    trip: Trip,
  ): Promise<ScanAnswer | undefined> {
    await this.#time.sleep(trip.thereMs);
    const service = this.#processes[trip.process];
    if (!service || trip.loses === 'request') return silence();
    try {
      const { key, ticket } = meantBy(this.#town, scan);
      const access = await service.findKey(key.value, key.type);
      const answer: ScanAnswer = access
        ? await service.scan({ key: access, ...requestFor(place, scan, ticket.code) })
        : { kind: 'key_refused' };
      if (this.#processes[trip.process] !== service || trip.loses === 'answer') return silence();
      await this.#time.sleep(trip.backMs);
      return answer;
    } catch {
      return undefined;
    }
  }

  async #change(
    place: number,
    step: Extract<Step, { does: 'cancel' | 'enable' | 'disable' }>,
  ): Promise<void> {
    const { key, ticket } = meantBy(this.#town, step);
    const id = idOf(place, 0);
    const { store } = this.#town;
    const action = step.does;
    const changed = action === 'cancel' ? { ticket: ticket.id } : { key: key.id };
    this.#lines.push({ type: 'invoke', id, at: this.#time.monotonicMs(), action, ...changed });
    await this.#time.sleep(1);
    const subject = changed.ticket ?? changed.key;
    const act = auditEntryOf(COMMAND_LINE, this.#time, {
      act: action,
      subject,
      organisationId: null,
    });
    if (action === 'cancel') await store.cancelTickets([subject], this.#time.now(), act);
    else {
      const before = (await store.read('key', subject))!;
      const after = { ...before, active: action === 'enable' };
      await store.write({ records: [{ kind: 'key', before, after }], audit: [act] });
    }
    await this.#time.sleep(1);
    this.#lines.push({ type: 'ok', id, at: this.#time.monotonicMs(), status: 'changed' });
  }
}

/** An id stays in its place: request 3 is of step 3 and 3.1 its first repeat, so that a problem can be read with the plan. */
function idOf(place: number, index: number): number {
  return (place * 10 + index) / 10;
}

function silence(): Promise<undefined> {
  return new Promise(() => {});
}
