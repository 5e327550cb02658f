import { Random } from '../../kit/random.ts';
import { cardOf } from '../cards/card-label.ts';
import { MODEL_IDS } from '../models/model-table.ts';
import type { Card } from '../scan-attempt.ts';
import { StandInServer } from '../stand-in/stand-in-server.ts';
import { aTicket, type StandInTicket } from '../stand-in/stand-in-tickets.ts';
import { VirtualTime } from '../virtual-time.ts';
import type { Transport } from '../wire.ts';
import type { Scenario, ScenarioCard, ServerAction } from './scenario-schema.ts';
import { Skip, type Stage } from './stage.ts';

const DAY_MS = 24 * 3_600_000;

/** Plays a scenario against the stand-in service, as fast as the machine computes and always in the same way. */
export class VirtualStage implements Stage {
  readonly time: VirtualTime;
  readonly #server: StandInServer;
  readonly #tickets = new Map<string, StandInTicket>();

  /** @throws Skip for devices of files: the stand-in service knows the known models only (ADR 0111) */
  constructor({ start, standIn = {}, devices }: Scenario, seed: string) {
    const [fromFile] = Object.values(devices)
      .flatMap(({ model = '' }) => model || [])
      .filter((model) => !MODEL_IDS.includes(model));
    if (fromFile !== undefined) {
      throw new Skip(
        `the address virtual: does not support the device file "${fromFile}": give the address of a real server`,
      );
    }
    this.time = start === undefined ? new VirtualTime() : new VirtualTime(Date.parse(start));
    const { rate, burst = 100, latency, readers, onExit } = standIn;
    this.#server = new StandInServer({
      time: this.time,
      random: new Random(seed).stream('stand-in'),
      tickets: this.#tickets,
      limit: rate === undefined ? undefined : { rate, burst },
      latencyMs: latency,
      readers,
      onExit,
    });
  }

  connect(): Transport {
    return this.#server.connect();
  }

  cards(name: string, card: ScenarioCard): readonly Card[] {
    const { code, count = 1 } = card;
    if (code !== undefined) return [cardOf(code, name)];
    return Array.from({ length: count }, (_, index) => {
      const label = count === 1 ? name : `${name}-${index + 1}`;
      return { code: this.#issue(label, card), label };
    });
  }

  #issue(label: string, card: ScenarioCard): string {
    const code = `TS1.tkt_virtual_${label.replaceAll(/\W/g, '_')}.signature`;
    if (card.state === 'forged') return `${code}!`;
    if (card.state !== 'unknown') this.#tickets.set(code, this.#ticket(card));
    return code;
  }

  #ticket({ state, uses, holder, validFrom, validUntil }: ScenarioCard): StandInTicket {
    const now = this.time.wallMs();
    const usual: Partial<Record<NonNullable<ScenarioCard['state']>, Partial<StandInTicket>>> = {
      multi: { usesAllowed: 10 },
      permanent: { usesAllowed: 9999 },
      personalised: { holder: 'Erika Muster' },
      windowed: { validFrom: now - DAY_MS, validUntil: now + DAY_MS },
      exhausted: { usesConsumed: uses ?? 1 },
      cancelled: { cancelled: true },
      notYetValid: { validFrom: now + DAY_MS },
      expired: { validUntil: now - DAY_MS },
      otherEvent: { otherEvent: true },
    };
    return aTicket({
      ...(state === undefined ? {} : usual[state]),
      ...(uses === undefined ? {} : { usesAllowed: uses }),
      ...(holder === undefined ? {} : { holder }),
      ...(validFrom === undefined ? {} : { validFrom: Date.parse(validFrom) }),
      ...(validUntil === undefined ? {} : { validUntil: Date.parse(validUntil) }),
    });
  }

  async server(action: ServerAction, forMs: number | undefined): Promise<void> {
    switch (action) {
      case 'stop':
        this.#server.stop();
        return;
      case 'start':
        this.#server.start();
        return;
      case 'freeze':
        this.#server.freeze(forMs ?? 2000);
        return;
      case 'refuse-key':
        this.#server.refuseKey();
        return;
      case 'accept-key':
        this.#server.acceptKey();
        return;
    }
  }

  async sleep(ms: number): Promise<void> {
    this.time.runUntil(this.time.nowMs() + ms);
  }

  async waitFor(done: () => boolean, limitMs: number): Promise<boolean> {
    const untilMs = this.time.nowMs() + limitMs;
    this.time.runWhile(() => done() || this.time.nowMs() > untilMs);
    return done();
  }

  close(): void {
    // Virtual time holds nothing.
  }
}
