import { jsonRecord } from '../kit/json-text.ts';
import type { Random } from '../kit/random.ts';
import { accessController } from './models/access-controller.ts';
import type { StandInModel, Verdict } from './models/device-model.ts';
import { MODELS } from './models/models.ts';
import type { Time } from './time.ts';
import {
  faulty,
  type Receiver,
  type Transport,
  type Wire,
  type WireAnswer,
  type WireFailure,
  type WireRequest,
} from './wire.ts';

export interface StandInOptions {
  readonly time: Time;
  readonly random: Random;
  /** The tickets by their codes. A code that is not here does not exist. */
  readonly tickets: ReadonlyMap<string, StandInTicket>;
  /** Requests a second and burst of a key; none without. */
  readonly limit?: { readonly rate: number; readonly burst: number } | undefined;
  /** Mean time on the way and at work, milliseconds. */
  readonly latencyMs?: number | undefined;
  /** Which way readers point; `*` is all others, and models without readers. */
  readonly readers?: Readonly<Record<string, 'in' | 'out'>> | undefined;
  /** What a consume outwards does; `consume` when absent. */
  readonly onExit?: ExitRule | undefined;
}

const LEAST_LATENCY_MS = 0.5;
const REFUSED_AFTER_MS = 0.5;
const FREEZE_MS = 2000;
const GONE: WireFailure = { kind: 'unreachable', message: 'the service at virtual: is stopped' };
const BROKEN: WireFailure = { kind: 'broken', message: 'the connection was lost' };

export const SERVER_ACTIONS = ['stop', 'start', 'freeze', 'refuse-key', 'accept-key'] as const;
export type ServerAction = (typeof SERVER_ACTIONS)[number];

/**
 * A small scan service in memory, on the same clock as the devices: the other side of a run in virtual time.
 * It can be stopped, frozen, and told to refuse the key. It is no substitute for a real server.
 */
export class StandInServer {
  readonly #options: StandInOptions;
  #up = true;
  /** Changes at every stop: earlier requests are lost. */
  #generation = 0;
  #frozenUntilMs = 0;
  #keyRefused = false;
  #tokens: number;
  #filledAtMs = 0;

  constructor(options: StandInOptions) {
    this.#options = options;
    this.#tokens = options.limit?.burst ?? 0;
  }

  /** A device's way to this service: no sockets, but the same faults as on real ones. */
  connect(): Transport {
    const { time } = this.#options;
    let connection = 0;
    const wire: Wire = {
      close() {
        connection += 1;
      },
      send: (request, receiver, pace) => {
        if (pace?.kind === 'slow') time.after(pace.durationMs, () => wire.send(request, receiver));
        // Of half a request the server waits for the rest, and the device for an answer.
        if (pace?.kind === 'slow' || pace?.kind === 'half') return;
        const own = connection;
        this.#exchange(request, receiver, () => own === connection);
      },
    };
    return faulty(wire, time);
  }

  #exchange(request: WireRequest, receiver: Receiver, isOpen: () => boolean): void {
    const { time, random, latencyMs = 3 } = this.#options;
    if (!this.#up) {
      time.after(REFUSED_AFTER_MS, () => receiver.failed(GONE));
      return;
    }
    const generation = this.#generation;
    const travelMs = LEAST_LATENCY_MS + random.exponential(latencyMs);
    time.after(Math.max(travelMs, this.#frozenUntilMs - time.nowMs()), () => {
      if (generation !== this.#generation) {
        receiver.failed(BROKEN);
        return;
      }
      const answer = this.#handle(request);
      if (isOpen()) receiver.answered(answer);
    });
  }

  /** @param forMs a frozen service answers nothing for that long, then everything at once */
  change(action: ServerAction, forMs: number = FREEZE_MS): void {
    if (action === 'freeze') this.#frozenUntilMs = this.#options.time.nowMs() + forMs;
    if (action === 'stop') this.#generation += 1;
    if (action === 'stop' || action === 'start') this.#up = action === 'start';
    if (action.endsWith('-key')) this.#keyRefused = action === 'refuse-key';
  }

  #handle(request: WireRequest): WireAnswer {
    const isHeartbeat = request.operation === 'heartbeat';
    const card = isHeartbeat ? undefined : readBody(request.body);
    const verdict = this.#refusal() ?? (isHeartbeat ? undefined : this.#verdict(request, card));
    if (!verdict) {
      const body = JSON.stringify({ Key: jsonRecord(request.body)?.['Key'] });
      return { status: 200, body };
    }
    // The documented format where none fitted.
    const model = card?.model ?? accessController.standIn;
    return { status: verdict.status, body: model.answer(verdict) };
  }

  #refusal(): Verdict | undefined {
    if (this.#keyRefused) return denial('Kein Zugriff', 401);
    return this.#takeToken() ? undefined : denial('Zu viele Anfragen', 429);
  }

  #verdict({ operation }: WireRequest, card: ReadCard | undefined): Verdict {
    if (!card) return denial('Ungültiges Ticket', 400);
    const { tickets, time, readers = {}, onExit = 'consume' } = this.#options;
    const ticket = tickets.get(card.code);
    if (!ticket) return this.#unknown(card.code);
    const isExit = (readers[card.reader ?? '*'] ?? readers['*']) === 'out';
    const consumes = operation === 'consume';
    if (!isExit) return judge(ticket, consumes, time.wallMs());
    return judgeExit(ticket, consumes ? onExit : 'validate', time.wallMs());
  }

  /** What looks like a code of ours is taken to be signed but unknown; anything else to be forged. */
  #unknown(code: string) {
    const wellFormed = /^\w+\.tkt_\w+\.[\w-]+$/.test(code);
    return wellFormed ? denial('Ticket nicht gefunden', 404) : denial('Ungültiges Ticket');
  }

  #takeToken(): boolean {
    const { limit } = this.#options;
    if (!limit) return true;
    const nowMs = this.#options.time.nowMs();
    const regained = ((nowMs - this.#filledAtMs) * limit.rate) / 1000;
    this.#tokens = Math.min(limit.burst, this.#tokens + regained);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** The code that a request body carries, and in which model's format it came. */
interface ReadCard {
  readonly model: StandInModel;
  readonly code: string;
  /** Undefined in models without readers. */
  readonly reader: string | undefined;
}

/** Undefined when no model's format fits. */
function readBody(body: string): ReadCard | undefined {
  for (const { standIn } of MODELS) {
    const code = standIn.codeOf(body);
    if (code !== undefined) return { model: standIn, code, reader: standIn.readerOf?.(body) };
  }
  return undefined;
}

/** A ticket of the stand-in service. Times are milliseconds since 1970 UTC; undefined is no bound. */
export interface StandInTicket {
  readonly usesAllowed: number;
  usesConsumed: number;
  readonly holder?: string | undefined;
  cancelled: boolean;
  readonly validFrom?: number | undefined;
  readonly validUntil?: number | undefined;
  /** True when the key at hand has no access to the ticket's event. */
  readonly otherEvent: boolean;
}

export function aTicket(facts: Partial<StandInTicket> = {}): StandInTicket {
  return { usesAllowed: 1, usesConsumed: 0, cancelled: false, otherEvent: false, ...facts };
}

function denial(note: string, status = 200): Verdict {
  return { status, granted: false, name: '', note };
}

const DAY_MS = 24 * 3_600_000;

/** What the states of a target file mean at `wallMs`; any other is a good single ticket. */
export function ticketIn(state: string, wallMs: number, uses?: number): Partial<StandInTicket> {
  const states: Readonly<Record<string, Partial<StandInTicket>>> = {
    multi: { usesAllowed: 10 },
    permanent: { usesAllowed: 9999 },
    personalised: { holder: 'Erika Muster' },
    windowed: { validFrom: wallMs - DAY_MS, validUntil: wallMs + DAY_MS },
    exhausted: { usesConsumed: uses ?? 1 },
    cancelled: { cancelled: true },
    notYetValid: { validFrom: wallMs + DAY_MS },
    expired: { validUntil: wallMs - DAY_MS },
    otherEvent: { otherEvent: true },
  };
  return states[state] ?? {};
}

export const EXIT_RULES = ['consume', 'validate', 'open'] as const;
type ExitRule = (typeof EXIT_RULES)[number];

/** The outcome of a scan outwards: `open` lets everybody out who came in, and spends nothing. */
function judgeExit(ticket: StandInTicket, rule: ExitRule, wallMs: number): Verdict {
  if (rule !== 'open') return { ...judge(ticket, rule === 'consume', wallMs), out: true };
  if (ticket.otherEvent) return denial('Kein Zugriff', 403);
  return ticket.usesConsumed === 0 ? denial('Noch nicht benutzt') : { ...grant(ticket), out: true };
}

/** The outcome of a scan; on success a use is registered when it is to be consumed. */
function judge(ticket: StandInTicket, consume: boolean, wallMs: number): Verdict {
  if (ticket.otherEvent) return denial('Kein Zugriff', 403);
  if (ticket.cancelled) return denial('Ticket storniert');
  if (wallMs < (ticket.validFrom ?? wallMs)) return denial('Noch nicht gültig');
  if (wallMs > (ticket.validUntil ?? wallMs)) return denial('Ticket abgelaufen');
  if (ticket.usesConsumed >= ticket.usesAllowed) return denial('Ticket erschöpft');
  if (consume) ticket.usesConsumed += 1;
  return grant(ticket);
}

function grant(ticket: StandInTicket): Verdict {
  const note = `Ticket gültig (${ticket.usesConsumed}/${ticket.usesAllowed})`;
  return { status: 200, granted: true, name: ticket.holder ?? kindOf(ticket), note };
}

function kindOf({ usesAllowed }: StandInTicket): string {
  if (usesAllowed === 1) return 'Einzelticket';
  return usesAllowed === 9999 ? 'Dauerkarte' : 'Mehrfachkarte';
}
