import { type EventFacts, tenths, type UnseenReason } from './device-events.ts';
import type { DeviceSettings, DeviceWorld } from './device-settings.ts';
import { BLANK, type Display, NAME_BYTES, NOTE_BYTES, shown } from './display.ts';
import { isWireFault } from './faults.ts';
import type { CardReading, RequestFacts } from './models/device-model.ts';
import { type AttemptOwner, type Presentation, ScanAttempt } from './scan-attempt.ts';
import { cardRequest } from './scan-request.ts';
import type { WireAnswer, WireFailure } from './wire.ts';

/** How long a late answer is delayed beyond the Wait Time, and how long a slow body takes to send. */
const LATE_BY_MS = 500;
const SLOW_BODY_MS = 1000;

/** Why a scan has no answer that the device acts on. */
interface Problem {
  readonly message: string;
  readonly unreachable: boolean;
  /** What the body of a server error says, where it denies in the device's format. */
  readonly denial?: CardReading | undefined;
}

/** What a reader needs of the device that it is built into. */
export interface ReaderOwner {
  readonly settings: DeviceSettings;
  readonly networkUp: boolean;
  facts(index: number): RequestFacts;
  emit(event: EventFacts): void;
  enter(phase: 'waiting' | 'granted' | 'denied', display: Display): void;
  open(relay: string, seconds: number | undefined): void;
  lightRed(): void;
  contact(online: boolean): void;
  clockFault(): void;
  powerCycle(): void;
  scanOver(): void;
}

/** Posts cards and acts on the answers, on their absence and on their being late. */
export class CardReader implements AttemptOwner {
  readonly #owner: ReaderOwner;
  readonly #world: DeviceWorld;
  #attempt: ScanAttempt | undefined;
  #lastCode = '';
  #lastPostMs = Number.NEGATIVE_INFINITY;
  #index = 0;

  constructor(owner: ReaderOwner, world: DeviceWorld) {
    this.#owner = owner;
    this.#world = world;
  }

  /** How many cards were posted since the power came on. */
  get index(): number {
    return this.#index;
  }

  /** True when this card was posted so short a time ago that it is not posted again. */
  isRepeat(code: string): boolean {
    const sinceMs = this.#world.time.nowMs() - this.#lastPostMs;
    return code === this.#lastCode && sinceMs < this.#owner.settings.antiRepeatMs;
  }

  post(presentation: Presentation): void {
    const { time } = this.#world;
    const { card, fault } = presentation;
    const { operation, waitTime } = this.#owner.settings;
    this.#index += 1;
    this.#lastCode = card.code;
    this.#lastPostMs = time.nowMs();
    this.#owner.enter('waiting', BLANK);
    const post = { event: 'post', card: card.label, operation, index: this.#index } as const;
    this.#owner.emit(fault ? { ...post, fault } : post);
    if (fault === 'wrong-clock') this.#owner.clockFault();
    const attempt = new ScanAttempt(this, presentation, time.nowMs());
    this.#attempt = attempt;
    attempt.timer = time.after(waitTime * 100, () => this.#withoutAnswer(attempt, 'timeout'));
    if (this.#owner.networkUp) this.#send(attempt);
    if (fault === 'power-cycle') time.after(1, () => this.#owner.powerCycle());
  }

  #send(attempt: ScanAttempt): void {
    const { card, fault } = attempt.presentation;
    const { settings } = this.#owner;
    const request = cardRequest(settings, card.code, this.#owner.facts(this.#index), fault);
    if (fault && isWireFault(fault)) {
      const lateMs = settings.waitTime * 100 + LATE_BY_MS;
      const durationMs = fault === 'slow-body' ? SLOW_BODY_MS : lateMs;
      this.#world.transport.send(request, attempt, { kind: fault, durationMs });
    } else this.#world.transport.send(request, attempt);
  }

  /**
   * The power failed: pending requests are lost, and the count starts again.
   * @param told whether it emits an event
   */
  reset(told: boolean): void {
    const attempt = this.#attempt;
    if (attempt) {
      const latencyMs = this.#close(attempt, 'power-cycle');
      const { presentation } = attempt;
      const message = 'the device lost power';
      const facts = { card: presentation.card.label, latencyMs: tenths(latencyMs), message };
      if (told) {
        this.#owner.emit({ event: 'error', ...facts, door: 'closed', unreachable: false });
      }
      const status = undefined;
      const lost = { result: 'error', opened: false, status, name: '', note: '' } as const;
      presentation.done?.({ ...lost, unreachable: false, latencyMs, message });
    }
    this.#index = 0;
    this.#lastCode = '';
  }

  scanAnswered(attempt: ScanAttempt, answer: WireAnswer): void {
    if (!this.#owner.networkUp) {
      this.scanUnseen(attempt, answer, 'network-cut');
      return;
    }
    const { model, reads200Only } = this.#owner.settings;
    const reading = model.readCardAnswer(answer);
    for (const what of reading.deviations) this.#owner.emit({ event: 'deviation', what });
    const isDecision = answer.status < (reading.granted ? 400 : 500);
    const ignored = !isDecision || (reads200Only && answer.status !== 200);
    if (reading.granted === undefined || ignored) {
      const what =
        reading.note || reading.deviations[0] || 'an answer that the device does not read';
      const message = `HTTP ${answer.status}: ${what}`;
      const denial = reading.granted === false && !reads200Only ? reading : undefined;
      this.#withoutAnswer(attempt, 'error', { message, unreachable: false, denial }, answer.status);
    } else this.#decided(attempt, answer.status, reading, reading.granted);
  }

  #decided(attempt: ScanAttempt, status: number, reading: CardReading, granted: boolean): void {
    const latencyMs = this.#close(attempt, 'answered');
    const { name, note } = displayOf(reading);
    const result = granted ? 'granted' : 'denied';
    const { presentation } = attempt;
    const card = presentation.card.label;
    this.#owner.enter(result, { name, note });
    this.#owner.emit({ event: result, card, latencyMs: tenths(latencyMs), status, name, note });
    this.#learnOfServer(true);
    if (granted) this.#owner.open(reading.relay ?? 'IN', reading.openSeconds);
    else this.#owner.lightRed();
    presentation.done?.({
      result,
      latencyMs,
      opened: granted,
      status,
      name,
      note,
      unreachable: false,
      message: undefined,
    });
    this.#owner.scanOver();
  }

  scanFailed(attempt: ScanAttempt, failure: WireFailure): void {
    if (!this.#owner.networkUp) return;
    const { message } = failure;
    const unreachable = failure.kind === 'unreachable';
    this.#withoutAnswer(attempt, 'error', { message, unreachable });
  }

  /** A server error with a denial in the device's format keeps the door closed in every fail mode (section 7.3). */
  #withoutAnswer(
    attempt: ScanAttempt,
    result: 'timeout' | 'error',
    problem: Problem = { message: '', unreachable: false },
    status?: number,
  ): void {
    const latencyMs = this.#close(attempt, result === 'timeout' ? 'late-answer' : 'answered');
    const { denial } = problem;
    const opened = this.#owner.settings.failMode === 'safe' && denial === undefined;
    const { presentation } = attempt;
    const card = presentation.card.label;
    const facts = { card, latencyMs: tenths(latencyMs), door: opened ? 'open' : 'closed' } as const;
    const display = denial ? displayOf(denial) : BLANK;
    this.#owner.enter(opened ? 'granted' : 'denied', display);
    const { unreachable } = problem;
    if (result === 'error') {
      this.#owner.emit({ event: 'error', ...facts, message: problem.message, unreachable });
    } else this.#owner.emit({ event: 'timeout', ...facts });
    this.#learnOfServer(false);
    if (opened) this.#owner.open('IN', undefined);
    else this.#owner.lightRed();
    const message = problem.message || undefined;
    presentation.done?.({ result, latencyMs, opened, status, ...display, unreachable, message });
    this.#owner.scanOver();
  }

  scanUnseen(attempt: ScanAttempt, answer: WireAnswer, why: UnseenReason): void {
    const { model, operation } = this.#owner.settings;
    const granted = model.readCardAnswer(answer).granted === true;
    const usesSpent = granted && operation === 'consume' ? 1 : 0;
    const card = attempt.presentation.card.label;
    this.#owner.emit({ event: 'unseen', card, why, granted, usesSpent });
    attempt.presentation.unseen?.(usesSpent, why);
  }

  /** Where there is no heartbeat, cards tell whether the server can be reached. */
  #learnOfServer(reached: boolean): void {
    if (!this.#owner.settings.model.heart) this.#owner.contact(reached);
  }

  #close(attempt: ScanAttempt, why: 'answered' | 'late-answer' | 'power-cycle'): number {
    const { time } = this.#world;
    time.cancel(attempt.timer);
    attempt.timer = undefined;
    attempt.end(why);
    this.#attempt = undefined;
    return time.nowMs() - attempt.sentAtMs;
  }
}

/** What the display shows of an answer: its texts, truncated as the hardware does. */
function displayOf(reading: CardReading): Display {
  return { name: shown(reading.name, NAME_BYTES), note: shown(reading.note, NOTE_BYTES) };
}
