import { isDocumented, type WireAnswer } from './answers.ts';
import { RawConnection } from './connection.ts';
import { type RequestCase, world } from './corpus.ts';
import type { CorpusService } from './service.ts';

const GOOD_BODY = JSON.stringify({ ticketCode: world.codes['fresh'] });
const GOOD = Buffer.from(
  `POST /scan/validate HTTP/1.1\r\nHost: gate\r\nx-api-key: ${world.keys['api']}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${GOOD_BODY.length}\r\n\r\n${GOOD_BODY}`,
);

/** What must never be in an answer or a log: keys, and the signatures that make codes genuine. */
export const SECRETS: readonly string[] = [
  ...Object.values(world.keys),
  ...Object.values(world.codes).map((code) => code.slice(code.lastIndexOf('.') + 1)),
];

/** Judges an answer to a case; returns what is wrong with it. */
export type Judge = (one: RequestCase, answer: WireAnswer | undefined) => string | undefined;

/** The documented answer, and no other. */
export const documented: Judge = ({ expect }, answer) =>
  expect.some((name) => isDocumented(name, answer))
    ? undefined
    : `expected ${expect.join(' or ')}, got ${shown(answer)}`;

/** Sends cases to a port and judges what comes back, what changed, and whether the next request works. */
export class Player {
  readonly failures: string[] = [];
  readonly #service: CorpusService;
  readonly #port: number;
  readonly #judge: Judge;
  #connection: RawConnection | undefined;
  #sequence = 0;

  /** @param port of the service itself, or of a proxy in front of it */
  constructor(service: CorpusService, port = service.port, judge = documented) {
    this.#service = service;
    this.#port = port;
    this.#judge = judge;
  }

  async play(one: RequestCase): Promise<void> {
    const fail = (what: string) => this.failures.push(`${one.group}: ${one.says}: ${what}`);
    const connection = await this.#open();
    const isHead = one.bytes.toString('latin1', 0, 5) === 'HEAD ';
    const answer =
      one.group === 'framing'
        ? await connection.exchange(one.bytes)
        : await connection.patientExchange(one.bytes, isHead);
    const wrong = this.#judge(one, answer);
    if (wrong !== undefined) fail(wrong);
    const next = await this.#next(one, connection, answer);
    if (!isDocumented('validated', next)) fail(`the next request was answered ${shown(next)}`);
    const answers = [answer, ...connection.rest()].filter((each) => each !== undefined);
    for (const problem of answers.flatMap((each) =>
      problemsOf(one, each, this.#port !== this.#service.port),
    ))
      fail(problem);
    const granted = answers.filter((each) => isDocumented('consumed', each)).length;
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
  async #next(one: RequestCase, connection: RawConnection, answer: WireAnswer | undefined) {
    if (one.group === 'framing' || closesAfter(answer) || !connection.isOpen) this.#drop();
    const good = await (await this.#open()).patientExchange(GOOD);
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

function closesAfter(answer: WireAnswer | undefined): boolean {
  return answer?.headers.get('connection')?.toLowerCase() === 'close';
}

/** A proxy says so itself when it does not know an encoding or a version; the service never does. */
const SAID_BY_PROXIES = [501, 505];

function problemsOf({ expect }: RequestCase, answer: WireAnswer, isProxied: boolean): string[] {
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
