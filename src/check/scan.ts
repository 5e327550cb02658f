import { Deviation } from './deviation.ts';
import type { Exchange, RequestSpec } from './exchange.ts';
import type { Level } from './level.ts';
import type { Redactor } from './redact.ts';
import {
  type AllottedTickets,
  KEY_VARIABLES,
  type KeyName,
  type Target,
  type TargetTicket,
  type TicketKind,
} from './target.ts';

export type ScanAction = 'validate' | 'consume';
export const JSON_TYPE = ['content-type', 'application/json'] as const;

/** Ways to spoil a key, each with the bash expression that does the same to a variable. */
const SPOILED = {
  cut: (key: string) => ({ value: key.slice(0, -1), bash: '%?' }),
  'lower-case': (key: string) => ({ value: key.toLowerCase(), bash: ',,' }),
  'upper-case': (key: string) => ({ value: key.toUpperCase(), bash: '^^' }),
  'first letter lost': (key: string) => ({ value: key.slice(1), bash: '#?' }),
} as const;
export type Spoiling = keyof typeof SPOILED;

/** Who sends a request: a case, or the samples that cases share. */
export interface Owner {
  readonly id: string;
  readonly level: Level;
}

/** What a case may ask of the run as a whole. */
interface RunServices {
  readonly baseUrl: URL;
  readonly target: Target;
  readonly redactor: Redactor;
  readonly exchanges: readonly Exchange[];
  send(spec: RequestSpec, owner: Owner): Promise<Exchange>;
  sendTogether(specs: readonly RequestSpec[], owner: Owner): Promise<Exchange[]>;
  sendUnpaced(spec: RequestSpec, owner: Owner): Promise<Exchange>;
  sample(name: string): Promise<Exchange>;
}

/** What a case works with: the endpoints, its own tickets, the keys, and what the run has seen so far. */
export class Scan {
  readonly #run: RunServices;
  readonly #owner: Owner;
  readonly #tickets: AllottedTickets;
  #last: Exchange | undefined;

  constructor(run: RunServices, owner: Owner, tickets: AllottedTickets) {
    this.#run = run;
    this.#owner = owner;
    this.#tickets = tickets;
  }

  /** The last exchange of this case: what a failure without one of its own shows. */
  get last(): Exchange | undefined {
    return this.#last;
  }

  get baseUrl(): URL {
    return this.#run.baseUrl;
  }

  /** POST /scan/validate (section 4.1). */
  validate(code: string, key: KeyName = 'rest'): Promise<Exchange> {
    return this.send(this.restRequest('validate', code, key));
  }

  /** POST /scan/consume (section 4.2). */
  consume(code: string, key: KeyName = 'rest'): Promise<Exchange> {
    return this.send(this.restRequest('consume', code, key));
  }

  /** POST /scan/hw/… (sections 4.3 and 4.4), in the documented device's format. */
  hardware(action: ScanAction, code: string, key: KeyName = 'hardware'): Promise<Exchange> {
    return this.send(this.hardwareRequest(action, code, key));
  }

  restRequest(action: ScanAction, code: string, key: KeyName = 'rest'): RequestSpec {
    return {
      path: `/scan/${action}`,
      headers: [['x-api-key', this.key(key)], JSON_TYPE],
      body: JSON.stringify({ ticketCode: code }),
    };
  }

  hardwareRequest(action: ScanAction, code: string, key: KeyName = 'hardware'): RequestSpec {
    return this.cardRequest(action, { Card: Buffer.from(code).toString('base64') }, key);
  }

  /** A device's request with any body; `Serial` and `Reader` are filled in. */
  cardRequest(action: ScanAction, body: object, key: KeyName = 'hardware'): RequestSpec {
    return {
      path: `/scan/hw/${action}`,
      query: [['key', this.key(key)]],
      headers: [JSON_TYPE],
      body: JSON.stringify({ Serial: 'CHECK-0001', Reader: 0, ...body }),
    };
  }

  /** Sends one request at the run's pace. @throws TransportFailure when no complete answer came */
  async send(spec: RequestSpec): Promise<Exchange> {
    this.#last = await this.#run.send(spec, this.#owner);
    return this.#last;
  }

  /** Sends requests at the same instant, each on a connection that is already open. */
  async together(specs: readonly RequestSpec[]): Promise<Exchange[]> {
    const exchanges = await this.#run.sendTogether(specs, this.#owner);
    this.#last = exchanges.at(-1);
    return exchanges;
  }

  /** Sends without pacing, for the rate-limit cases only. */
  async unpaced(spec: RequestSpec): Promise<Exchange> {
    return this.#run.sendUnpaced(spec, this.#owner);
  }

  ticket(kind: TicketKind, index = 0): TargetTicket {
    const ticket = this.#tickets[kind]?.[index];
    if (!ticket) throw new Error(`${this.#owner.id} did not ask for ${index + 1} ${kind} tickets`);
    return ticket;
  }

  key(name: KeyName): string {
    const key = this.#run.target.keys[name];
    if (key === undefined) throw new Error(`${this.#owner.id} did not ask for the key ${name}`);
    return key;
  }

  hasKey(name: KeyName): boolean {
    return this.#run.target.keys[name] !== undefined;
  }

  /** A key made wrong in one way; as secret as the key itself. Undefined when that changes nothing. */
  spoiledKey(name: KeyName, spoiling: Spoiling): string | undefined {
    const key = this.key(name);
    const { value, bash } = SPOILED[spoiling](key);
    if (value === key) return undefined;
    this.#run.redactor.add(value, `\${${KEY_VARIABLES[name]}${bash}}`);
    return value;
  }

  /** A shared answer that the case declared. */
  async sample(name: string): Promise<Exchange> {
    const exchange = await this.#run.sample(name);
    this.#last = exchange;
    return exchange;
  }

  /** Every exchange of the run up to now. */
  exchanges(): readonly Exchange[] {
    return this.#run.exchanges;
  }

  /** @throws Deviation always: with this exchange as the evidence */
  fail(expected: string, observed: string, exchange: Exchange | undefined = this.#last): never {
    throw new Deviation(expected, observed, exchange);
  }
}
