import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../../kit/random.ts';
import { cardOf } from '../cards/card-file.ts';
import type { Card } from '../device-events.ts';
import { SimulateError } from '../errors.ts';
import { MODEL_IDS } from '../models/models.ts';
import type { Endpoint } from '../network/endpoint.ts';
import { SocketWire } from '../network/socket-wire.ts';
import {
  aTicket,
  type ServerAction,
  StandInServer,
  type StandInTicket,
  ticketIn,
} from '../stand-in.ts';
import { RealTime, type Time, VirtualTime } from '../time.ts';
import { faulty, type Transport } from '../wire.ts';
import type { Scenario, ScenarioCard } from './scenario-schema.ts';

/** Plays a scenario against the stand-in service, as fast as the machine computes and always in the same way. */
export class VirtualStage implements Stage {
  readonly time: VirtualTime;
  readonly #server: StandInServer;
  readonly #tickets = new Map<string, StandInTicket>();

  /** @throws Skip for devices of files: the stand-in service knows the known models only (ADR 0110) */
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
    return aTicket({
      ...ticketIn(state ?? '', this.time.wallMs(), uses),
      ...(uses === undefined ? {} : { usesAllowed: uses }),
      ...(holder === undefined ? {} : { holder }),
      ...(validFrom === undefined ? {} : { validFrom: Date.parse(validFrom) }),
      ...(validUntil === undefined ? {} : { validUntil: Date.parse(validUntil) }),
    });
  }

  async server(action: ServerAction, forMs: number | undefined): Promise<void> {
    this.#server.change(action, forMs);
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

/** A scenario cannot be played here; the message says what is missing. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

/** Where a scenario is played: in virtual time on the stand-in service, or in real time on a real server. */
export interface Stage {
  readonly time: Time;
  connect(): Transport;
  /** The cards behind a name. @throws Skip when the stage has none such */
  cards(name: string, card: ScenarioCard): readonly Card[];
  /** Does something to the server. @throws Skip when the stage has no way to */
  server(action: ServerAction, forMs: number | undefined): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** Waits until `done`; returns false when that is not so within `limitMs`. */
  waitFor(done: () => boolean, limitMs: number): Promise<boolean>;
  /** Releases what the stage holds. */
  close(): void;
}

/** Makes a stage for one scenario; each gets a fresh one. */
export type StageMaker = (scenario: Scenario, seed: string) => Stage;

/** What a real server offers to scenarios. */
export interface RealStageOptions {
  readonly endpoint: Endpoint;
  /** The same server with a key for selected events only. */
  readonly scopedEndpoint?: Endpoint | undefined;
  /** Unused cards by state, and by the names of cards that need more than a state. They are used up. */
  readonly pool: Map<string, Card[]>;
  /** Commands of the shell by the name of a server action. */
  readonly hooks: ReadonlyMap<string, string>;
  /** Ends the scenario at once. */
  readonly signal?: AbortSignal | undefined;
}

const LOOK_EVERY_MS = 5;

/** Plays a scenario in real time against a real server. */
export class RealStage implements Stage {
  readonly time = new RealTime();
  readonly #options: RealStageOptions;

  readonly #endpoint: Endpoint;

  /** @throws Skip when the scenario needs a key that is not there */
  constructor({ key }: Scenario, options: RealStageOptions) {
    this.#options = options;
    const scoped = key === 'selected-events';
    const endpoint = scoped ? options.scopedEndpoint : options.endpoint;
    if (!endpoint) throw new Skip('it needs a target file with a key "hardwareScoped"');
    this.#endpoint = endpoint;
  }

  connect(): Transport {
    return faulty(new SocketWire(this.#endpoint, this.time), this.time);
  }

  cards(name: string, card: ScenarioCard): readonly Card[] {
    const { code, state = '', count = 1 } = card;
    if (code !== undefined) return [cardOf(code, name)];
    const own = this.#options.pool.get(name);
    const special = card.validFrom ?? card.validUntil ?? card.uses ?? card.holder;
    if (!own && special !== undefined && !fitsAnyway(card)) {
      throw new Skip(`the target file has no tickets "${name}", which this card needs`);
    }
    const source = own ?? this.#options.pool.get(state === 'forged' ? 'single' : state) ?? [];
    if (source.length < count) {
      const missing = `${count} unused tickets "${own ? name : state}"`;
      throw new Skip(`the target file does not have ${missing}; it has ${source.length} left`);
    }
    const cards = state === 'forged' ? source.slice(0, count).map(forged) : source.splice(0, count);
    return cards.map((one, index) => ({
      ...one,
      label: count === 1 ? name : `${name}-${index + 1}`,
    }));
  }

  async server(action: ServerAction): Promise<void> {
    const command = this.#options.hooks.get(action);
    if (command === undefined) {
      throw new Skip(
        `it needs a command for this change of the server: --hook "${action}=COMMAND"`,
      );
    }
    const child = spawn(command, { shell: true, stdio: ['ignore', 'ignore', 'inherit'] });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    if (code !== 0) {
      throw new SimulateError(`The hook "${action}" ended with exit code ${code}.`);
    }
  }

  async sleep(ms: number): Promise<void> {
    const { signal } = this.#options;
    await wait(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
    if (signal?.aborted) throw new Skip('it was interrupted');
  }

  async waitFor(done: () => boolean, limitMs: number): Promise<boolean> {
    const untilMs = this.time.nowMs() + limitMs;
    while (!done() && this.time.nowMs() < untilMs) await this.sleep(LOOK_EVERY_MS);
    return done();
  }

  close(): void {
    this.time.close();
  }
}

/** A ten-use card is what target files have as `multi`. */
function fitsAnyway({ state, uses, holder, validFrom, validUntil }: ScenarioCard): boolean {
  const plain = holder === undefined && validFrom === undefined && validUntil === undefined;
  return plain && state === 'multi' && uses === 10;
}

/** The same code with another last character of its signature. */
function forged({ code, label }: Card): Card {
  const last = code.endsWith('A') ? 'B' : 'A';
  return { code: code.slice(0, -1) + last, label };
}
