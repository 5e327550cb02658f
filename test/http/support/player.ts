import { CODES, KEYS } from '../../support/fixed-world.ts';
import { GOOD, type Row, send } from '../wire/row.ts';
import { isDocumented, type WireAnswer } from './answers.ts';
import { RawConnection } from './raw-connection.ts';
import type { WireService } from './wire-service.ts';

const GOOD_REQUEST = Buffer.from(send('validate', GOOD));

/** What must never be in an answer or a log: keys, and the signatures that make codes genuine. */
export const SECRETS: readonly string[] = [
  ...Object.values(KEYS),
  ...Object.values(CODES).map((code) => code.slice(code.lastIndexOf('.') + 1)),
];

/** A row and the group of the contract that it belongs to. */
export interface PlayedRow extends Row {
  readonly group: string;
}

/** Judges an answer to a row; returns what is wrong with it. */
export type Judge = (one: PlayedRow, answer: WireAnswer | undefined) => string | undefined;

/** The documented answer, and no other. */
export const documented: Judge = ({ expect }, answer) =>
  [expect].flat().some((name) => isDocumented(name, answer))
    ? undefined
    : `expected ${[expect].flat().join(' or ')}, got ${shown(answer)}`;

/** Sends rows to a port and judges what comes back, what changed, and whether the next request works. */
export class Player {
  readonly failures: string[] = [];
  readonly #service: WireService;
  readonly #port: number;
  readonly #judge: Judge;
  #connection: RawConnection | undefined;
  #sequence = 0;

  /** @param port of the service itself, or of a proxy in front of it */
  constructor(service: WireService, port = service.port, judge = documented) {
    this.#service = service;
    this.#port = port;
    this.#judge = judge;
  }

  async play(one: PlayedRow): Promise<void> {
    const fail = (what: string) => this.failures.push(`${one.group}: ${one.says}: ${what}`);
    const connection = await this.#open();
    const bytes = Buffer.from(one.bytes, 'latin1');
    const answer =
      one.group === 'framing'
        ? await connection.exchange(bytes)
        : await connection.patientExchange(bytes, one.bytes.startsWith('HEAD '));
    const wrong = this.#judge(one, answer);
    if (wrong !== undefined) fail(wrong);
    const next = await this.#next(one, connection, answer);
    if (!isDocumented('validated', next)) fail(`the next request was answered ${shown(next)}`);
    const answers = [answer, ...connection.rest()].filter((each) => each !== undefined);
    for (const problem of answers.flatMap((each) =>
      problemsOf(one, each, this.#port !== this.#service.port),
    ))
      fail(problem);
    const granted = answers.filter((each) => isGranted(one, each)).length;
    const used = await this.#used();
    if (used !== granted) fail(`${used} uses were registered, ${granted} of them answered`);
  }

  close(): void {
    this.#connection?.close();
  }

  #drop(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #open(): Promise<RawConnection> {
    if (!this.#connection?.isOpen) this.#connection = await RawConnection.open(this.#port);
    return this.#connection;
  }

  /** A good request: over the same connection, unless that one was to be closed or its framing is in doubt. */
  async #next(one: PlayedRow, connection: RawConnection, answer: WireAnswer | undefined) {
    if (one.group === 'framing' || closesAfter(answer) || !connection.isOpen) this.#drop();
    const good = await (await this.#open()).patientExchange(GOOD_REQUEST);
    if (closesAfter(good)) this.#drop();
    return good;
  }

  /** How many uses the log of scans has got since the last time. */
  async #used(): Promise<number> {
    const entries = await this.#service.store.readLog({
      afterSequence: this.#sequence,
      limit: 100,
    });
    this.#sequence = entries.at(-1)?.sequence ?? this.#sequence;
    return entries.filter(({ status }) => status === 'consumed').length;
  }
}

/** True when the answer says that a use was taken. */
function isGranted({ bytes }: Row, answer: WireAnswer): boolean {
  const isCard = bytes.startsWith('POST /scan/hw/consume');
  return isDocumented('consumed', answer) || (isCard && isDocumented('hw_granted', answer));
}

function closesAfter(answer: WireAnswer | undefined): boolean {
  return answer?.headers.get('connection')?.toLowerCase() === 'close';
}

/** A proxy says so itself when it does not know an encoding or a version; the service never does. */
const SAID_BY_PROXIES = [501, 505];

function problemsOf({ expect }: PlayedRow, answer: WireAnswer, isProxied: boolean): string[] {
  const text = JSON.stringify([...answer.headers]) + answer.body;
  // A heartbeat without a field of its own gets the value of its own query back (section 4.5).
  const leaked = expect.includes('alive') ? [] : SECRETS.filter((secret) => text.includes(secret));
  return [
    ...(!(answer.status < 500) && !(isProxied && SAID_BY_PROXIES.includes(answer.status))
      ? [`status ${answer.status}`]
      : []),
    ...leaked.map(() => `a secret is in the answer ${text}`),
  ];
}

function shown(answer: WireAnswer | undefined): string {
  return answer ? `${answer.status} ${answer.body.slice(0, 120)}` : 'no answer';
}
