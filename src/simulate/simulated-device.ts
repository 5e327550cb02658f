import { type CardRequest, damagedRequest, wireFaultOf } from './card-faults.ts';
import {
  type DeviceEvent,
  type EventFacts,
  type Presentation,
  type ScanOutcome,
  tenths,
  type UnseenReason,
} from './device-events.ts';
import type { DeviceSettings, DeviceWorld } from './device-settings.ts';
import {
  BLANK,
  type CardReading,
  type Display,
  displayOf,
  type RequestFacts,
} from './models/device-model.ts';
import type { Timer } from './time.ts';
import type { Receiver, WireAnswer } from './wire.ts';

/** `offline` is an idle device that gets no answers. */
export type DeviceState = 'off' | 'offline' | 'idle' | 'reading' | 'waiting' | 'granted' | 'denied';

/** The fault `wrong-clock` sets a clock wrong by up to a good year either way. */
const CLOCK_FAULT_MS = 400 * 24 * 3_600_000;

/** One posted card, from the post until nobody can hear of it any more. */
interface Attempt {
  readonly presentation: Presentation;
  readonly sentAtMs: number;
  timer: Timer | undefined;
  /** Why the device does not listen any more; later answers are unseen for this reason. */
  over: UnseenReason | 'answered' | undefined;
}

/** Why a scan has no answer that the device acts on. */
interface Problem {
  readonly message: string;
  readonly unreachable: boolean;
  readonly status?: number;
  /** What the body of a server error says, where it denies in the device's format. */
  readonly denial?: CardReading | undefined;
}

/**
 * One device at a gate: reader, display, relay, network and power.
 *
 * idle → reading → waiting → granted (relay on, a person passes or turns back) or denied (red light) → idle.
 * Without an answer within the Wait Time the door stays closed (fail-secure) or opens (fail-safe), and an answer that
 * comes later is ignored. Everything runs on the time, transport and random numbers that it is given.
 */
export class SimulatedDevice {
  readonly serial: string;
  readonly settings: DeviceSettings;
  /** Called whenever the next person can step up to the reader. */
  onFree: (() => void) | undefined;
  readonly #world: DeviceWorld;
  #phase: Exclude<DeviceState, 'offline'> = 'off';
  #phaseTimer: Timer | undefined;
  #online = false;
  #networkUp = true;
  #display: Display = BLANK;
  #clockFaultMs = 0;
  #relay: string | undefined;
  #closing: Timer | undefined;
  /** While a person is on the way through. */
  #passing: Timer | undefined;
  #attempt: Attempt | undefined;
  #lastCode = '';
  #lastPostMs = Number.NEGATIVE_INFINITY;
  /** Cards that were posted since the power came on. */
  #index = 0;
  #nextBeat: Timer | undefined;
  /** While a heartbeat is unanswered. */
  #beatWait: Timer | undefined;
  #beatSentAtMs = 0;
  #missedBeats = 0;

  constructor(serial: string, settings: DeviceSettings, world: DeviceWorld) {
    this.serial = serial;
    this.settings = settings;
    this.#world = world;
  }

  get state(): DeviceState {
    return this.#phase === 'idle' && !this.#online ? 'offline' : this.#phase;
  }

  get online(): boolean {
    return this.#online;
  }

  get networkUp(): boolean {
    return this.#networkUp;
  }

  get display(): Display {
    return this.#display;
  }

  /** The relay that is on (`IN`, `OUT`, `LOCK1` …), or undefined while the door is closed. */
  get relay(): string | undefined {
    return this.#relay;
  }

  /** True when a person can step up to the reader. */
  get free(): boolean {
    const phase = this.#phase;
    const isBusy = phase === 'off' || phase === 'reading' || phase === 'waiting';
    return !isBusy && this.#passing === undefined;
  }

  /** What the device knows when it builds a request. */
  facts(): RequestFacts {
    const { reader, clockOffsetMs } = this.settings;
    const clockMs = this.#world.time.wallMs() + clockOffsetMs + this.#clockFaultMs;
    return { serial: this.serial, reader, index: this.#index, clockMs };
  }

  /**
   * Switches on. Without a heartbeat to tell, a device takes the server for reachable until a card shows otherwise.
   * @param firstHeartbeatMs when the first heartbeat leaves; a fleet spreads them
   */
  powerOn(firstHeartbeatMs = 0): void {
    if (this.#phase !== 'off') return;
    this.#world.transport.close();
    this.#phase = 'idle';
    this.#emit({ event: 'power-on' });
    if (!this.#beats) this.#contact(true);
    else if (firstHeartbeatMs === 0) this.#beat();
    else this.#nextBeat = this.#world.time.after(firstHeartbeatMs, () => this.#beat());
    this.onFree?.();
  }

  /** Cuts the power: the relay switches off, and pending requests are lost. */
  powerOff(): void {
    if (this.#phase === 'off') return;
    this.#fallSilent(true);
    this.#online = false;
    this.#emit({ event: 'power-off' });
  }

  /** Off, and on again after the time that the device takes to start. */
  powerCycle(): void {
    this.powerOff();
    const { time } = this.#world;
    time.cancel(this.#phaseTimer);
    this.#phaseTimer = time.after(this.settings.bootMs, () => this.powerOn());
  }

  /** Cuts the network. */
  cutNetwork(): void {
    if (!this.#networkUp) return;
    this.#networkUp = false;
    this.#emit({ event: 'network-cut' });
  }

  restoreNetwork(): void {
    if (this.#networkUp) return;
    this.#networkUp = true;
    this.#world.transport.close();
    this.#emit({ event: 'network-restored' });
  }

  /** Releases timers and connections, without an event. */
  close(): void {
    this.#fallSilent(false);
    this.#world.transport.close();
  }

  /** Holds a card in front of the reader. Returns false when the device ignores it; an event says why. */
  present(presentation: Presentation): boolean {
    const { card } = presentation;
    const why = this.#reasonToIgnore(card.code);
    if (why) {
      this.#emit({ event: 'ignored', card: card.label, why });
      return false;
    }
    this.#enter('reading', BLANK);
    this.#emit({ event: 'read', card: card.label });
    const { readMs } = this.settings;
    if (readMs === 0) this.#post(presentation);
    else this.#phaseTimer = this.#world.time.after(readMs, () => this.#post(presentation));
    return true;
  }

  #reasonToIgnore(code: string): 'off' | 'busy' | 'repeat' | undefined {
    if (this.#phase === 'off') return 'off';
    if (this.#phase === 'reading' || this.#phase === 'waiting') return 'busy';
    const sinceMs = this.#world.time.nowMs() - this.#lastPostMs;
    const isRepeat = code === this.#lastCode && sinceMs < this.settings.antiRepeatMs;
    return isRepeat ? 'repeat' : undefined;
  }

  #post(presentation: Presentation): void {
    const { time } = this.#world;
    const { card, fault } = presentation;
    const { operation, waitTime } = this.settings;
    this.#index += 1;
    this.#lastCode = card.code;
    this.#lastPostMs = time.nowMs();
    this.#enter('waiting', BLANK);
    const post = { event: 'post', card: card.label, operation, index: this.#index } as const;
    this.#emit(fault ? { ...post, fault } : post);
    if (fault === 'wrong-clock') this.#setClockWrong();
    const attempt: Attempt = {
      presentation,
      sentAtMs: time.nowMs(),
      timer: time.after(waitTime * 100, () => this.#withoutAnswer(attempt, 'timeout')),
      over: undefined,
    };
    this.#attempt = attempt;
    if (this.#networkUp) this.#send(attempt);
    if (fault === 'power-cycle') time.after(1, () => this.powerCycle());
  }

  #send(attempt: Attempt): void {
    const { card, fault } = attempt.presentation;
    const receiver: Receiver = {
      answered: (answer) => this.#answered(attempt, answer),
      failed: ({ kind, message }) => {
        if (attempt.over !== undefined || !this.#networkUp) return;
        this.#withoutAnswer(attempt, 'error', { message, unreachable: kind === 'unreachable' });
      },
      unseen: (answer) => this.#unseen(attempt, answer, fault ?? 'late-answer'),
    };
    const request = damagedRequest(this.#cardRequest(card.code), fault);
    this.#world.transport.send(request, receiver, wireFaultOf(fault, this.settings.waitTime));
  }

  /** The POST for one card. */
  #cardRequest(code: string): CardRequest {
    const { model, operation } = this.settings;
    return { ...model.cardBody(code, this.facts()), operation, code };
  }

  #answered(attempt: Attempt, answer: WireAnswer): void {
    const unseen = attempt.over ?? (this.#networkUp ? undefined : 'network-cut');
    if (unseen === undefined) this.#read(attempt, answer);
    else if (unseen !== 'answered') this.#unseen(attempt, answer, unseen);
  }

  #read(attempt: Attempt, answer: WireAnswer): void {
    const { model, reads200Only } = this.settings;
    const { status } = answer;
    const reading = model.readCardAnswer(answer);
    const { granted, note, deviations } = reading;
    for (const what of deviations) this.#emit({ event: 'deviation', what });
    // Section 7.1 knows no other status of a grant; that of a denial is not shown (7.3).
    const isDecision = granted || reads200Only ? status === 200 : status < 500;
    if (granted !== undefined && isDecision) {
      this.#decided(attempt, status, reading, granted);
      return;
    }
    const what = note || deviations[0] || 'an answer that the device does not read';
    const message = `HTTP ${status}: ${what}`;
    const denial = granted === false && !reads200Only ? reading : undefined;
    this.#withoutAnswer(attempt, 'error', { message, unreachable: false, denial, status });
  }

  #decided(attempt: Attempt, status: number, reading: CardReading, granted: boolean): void {
    const latencyMs = this.#end(attempt, 'answered');
    const display = displayOf(reading);
    const result = granted ? 'granted' : 'denied';
    const { label: card } = attempt.presentation.card;
    this.#enter(result, display);
    this.#emit({ event: result, card, latencyMs: tenths(latencyMs), status, ...display });
    const outcome = { result, latencyMs, opened: granted, status, ...display } as const;
    this.#act(attempt, { ...outcome, unreachable: false, message: undefined }, true, reading);
  }

  /** A server error with a denial in the device's format keeps the door closed in every fail mode (section 7.3). */
  #withoutAnswer(
    attempt: Attempt,
    result: 'timeout' | 'error',
    { message, unreachable, status, denial }: Problem = { message: '', unreachable: false },
  ): void {
    const latencyMs = this.#end(attempt, result === 'timeout' ? 'late-answer' : 'answered');
    const opened = this.settings.failMode === 'safe' && denial === undefined;
    const { label: card } = attempt.presentation.card;
    const facts = { card, latencyMs: tenths(latencyMs), door: opened ? 'open' : 'closed' } as const;
    const display = denial ? displayOf(denial) : BLANK;
    this.#enter(opened ? 'granted' : 'denied', display);
    if (result === 'timeout') this.#emit({ event: 'timeout', ...facts });
    else this.#emit({ event: 'error', ...facts, message, unreachable });
    const outcome = { result, latencyMs, opened, status, ...display, unreachable };
    this.#act(attempt, { ...outcome, message: message || undefined }, false);
  }

  /** Opens the door or lights the red lamp, and tells the outcome. */
  #act(attempt: Attempt, outcome: ScanOutcome, reached: boolean, reading?: CardReading): void {
    // Where there is no heartbeat, cards tell whether the server can be reached.
    if (!this.settings.model.heart) this.#contact(reached);
    if (outcome.opened) this.#open(reading?.relay ?? 'IN', reading?.openSeconds);
    else {
      this.#phaseTimer = this.#world.time.after(this.settings.deniedMs, () => {
        if (this.#phase === 'denied') this.#enter('idle', BLANK);
      });
    }
    attempt.presentation.done?.(outcome);
    if (this.free) this.onFree?.();
  }

  #unseen({ presentation }: Attempt, answer: WireAnswer, why: UnseenReason): void {
    const { model, operation } = this.settings;
    const granted = model.readCardAnswer(answer).granted === true;
    const usesSpent = granted && operation === 'consume' ? 1 : 0;
    this.#emit({ event: 'unseen', card: presentation.card.label, why, granted, usesSpent });
    presentation.unseen?.(usesSpent, why);
  }

  /** @returns the time since the post */
  #end(attempt: Attempt, why: 'answered' | 'late-answer' | 'power-cycle'): number {
    const { time } = this.#world;
    time.cancel(attempt.timer);
    attempt.over ??= why;
    this.#attempt = undefined;
    return time.nowMs() - attempt.sentAtMs;
  }

  /** Switches the relay on; a door that is open already stays so for the full time from now. */
  #open(relay: string, seconds: number = this.settings.openSeconds): void {
    const { time, random } = this.#world;
    const { passMs, turnBack } = this.settings;
    this.#emit({ event: 'door-open', relay, seconds });
    const turnsBack = turnBack > 0 && random.next() < turnBack;
    this.#relay = relay;
    time.cancel(this.#closing);
    this.#closing = time.after(seconds * 1000, () => this.#closeDoor());
    time.cancel(this.#passing);
    this.#passing = undefined;
    if (passMs === 0) this.#pass(turnsBack);
    else {
      this.#passing = time.after(passMs, () => {
        this.#passing = undefined;
        this.#pass(turnsBack);
        if (this.free) this.onFree?.();
      });
    }
  }

  #closeDoor(): void {
    this.#closing = undefined;
    this.#relay = undefined;
    this.#emit({ event: 'door-closed' });
    if (this.#phase === 'granted') this.#enter('idle', BLANK);
  }

  /** The person went through, or turned back at the open door: some devices report which. */
  #pass(turnedBack: boolean): void {
    this.#emit({ event: turnedBack ? 'turned-back' : 'passed' });
    const { passage } = this.settings.model;
    if (!passage || !this.#networkUp) return;
    const told = (facts: { ok: boolean; status?: number; message?: string }) => {
      if (this.#networkUp) this.#emit({ event: 'passage', turnedBack, ...facts });
    };
    const report = { operation: 'passage', ...passage(turnedBack, this.facts()) } as const;
    this.#world.transport.send(report, {
      answered: ({ status }) =>
        told(
          status === 200 ? { ok: true, status } : { ok: false, status, message: `HTTP ${status}` },
        ),
      failed: ({ message }) => told({ ok: false, message }),
      unseen: onlyCards,
    });
  }

  get #beats(): boolean {
    return this.settings.model.heart !== undefined && this.settings.heartbeatMs > 0;
  }

  /** Sends a heartbeat now and then regularly. One that is still unanswered counts as missed. */
  #beat(): void {
    const { time, transport } = this.#world;
    const { model, heartbeatMs, waitTime } = this.settings;
    if (!model.heart) return;
    time.cancel(this.#nextBeat);
    this.#nextBeat = time.after(heartbeatMs, () => this.#beat());
    if (this.#beatWait) this.#missBeat('no answer before the next heartbeat was due');
    this.#beatSentAtMs = time.nowMs();
    this.#beatWait = time.after(waitTime * 100, () => this.#missBeat('no answer in time'));
    if (!this.#networkUp) return;
    transport.send(
      { operation: 'heartbeat', ...model.heart.body(this.facts()) },
      {
        answered: (answer) => this.#beatAnswered(answer),
        failed: ({ kind, message }) => {
          if (this.#beatWait && this.#networkUp)
            this.#missBeat(message, { unreachable: kind === 'unreachable' });
        },
        unseen: onlyCards,
      },
    );
  }

  #beatAnswered(answer: WireAnswer): void {
    if (!this.#beatWait || !this.#networkUp) return;
    const { status } = answer;
    const fault = this.settings.model.heart?.fault(answer, this.facts());
    if (fault !== undefined) {
      this.#missBeat(fault, { status });
      return;
    }
    this.#missedBeats = 0;
    this.#tellBeat(true, { status });
    this.#contact(true);
  }

  #missBeat(message: string, facts: { status?: number; unreachable?: boolean } = {}): void {
    this.#missedBeats += 1;
    this.#tellBeat(false, { ...facts, message });
    if (this.#missedBeats >= this.settings.offlineAfter) this.#contact(false);
  }

  #tellBeat(
    ok: boolean,
    facts: { status?: number; message?: string; unreachable?: boolean },
  ): void {
    const { time } = this.#world;
    time.cancel(this.#beatWait);
    this.#beatWait = undefined;
    const latencyMs = tenths(time.nowMs() - this.#beatSentAtMs);
    this.#emit({ event: 'heartbeat', ok, latencyMs, ...facts });
  }

  /** Only heartbeats tell the time: one leaves at once. */
  #setClockWrong(): void {
    this.#clockFaultMs = Math.round((this.#world.random.next() - 0.5) * 2 * CLOCK_FAULT_MS);
    if (this.#beats) this.#beat();
  }

  /** What heartbeats, or cards where there are none, tell of the server. */
  #contact(online: boolean): void {
    if (this.#online === online || this.#phase === 'off') return;
    this.#online = online;
    this.#emit({ event: online ? 'online' : 'offline' });
  }

  #enter(phase: Exclude<DeviceState, 'offline'>, display: Display): void {
    this.#world.time.cancel(this.#phaseTimer);
    this.#phaseTimer = undefined;
    this.#phase = phase;
    this.#display = display;
  }

  /** The power is gone: timers stop, the relay switches off, pending requests are lost, and the count starts again. */
  #fallSilent(told: boolean): void {
    const { time } = this.#world;
    for (const timer of [this.#nextBeat, this.#beatWait, this.#closing, this.#passing]) {
      time.cancel(timer);
    }
    this.#nextBeat = this.#beatWait = this.#closing = this.#passing = undefined;
    this.#missedBeats = 0;
    this.#relay = undefined;
    this.#enter('off', BLANK);
    if (this.#attempt) this.#losePower(this.#attempt, told);
    this.#index = 0;
    this.#lastCode = '';
  }

  #losePower(attempt: Attempt, told: boolean): void {
    const latencyMs = this.#end(attempt, 'power-cycle');
    const { presentation } = attempt;
    const problem = { message: 'the device lost power', unreachable: false } as const;
    const facts = { card: presentation.card.label, latencyMs: tenths(latencyMs) };
    if (told) this.#emit({ event: 'error', ...facts, door: 'closed', ...problem });
    const outcome = { result: 'error', latencyMs, opened: false, status: undefined } as const;
    presentation.done?.({ ...outcome, ...BLANK, ...problem });
  }

  #emit(event: EventFacts): void {
    const { listener, time } = this.#world;
    if (!listener) return;
    const t = tenths(time.nowMs());
    // What, when and where come first; assigning keeps their order and fills in the rest.
    listener(Object.assign({ event: event.event, t, device: this.serial }, event) as DeviceEvent);
  }
}

/** Only cards meet faults on the wire; a heartbeat that is lost is a missed one. */
function onlyCards(): void {
  // Never called.
}
