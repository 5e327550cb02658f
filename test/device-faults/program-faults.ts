import { randomUUID } from 'node:crypto';
import type { Fault } from './controller-faults.ts';
import type { Answer } from './http-post.ts';
import { HONEST_PROGRAM, type Program, resultIn } from './program.ts';

const HONEST = HONEST_PROGRAM;

/** Opens also where `isTaken` says so. */
const opensAlso = (isTaken: (answer: Answer) => boolean) => ({
  opens: (answer: Answer) => HONEST.opens(answer) || isTaken(answer),
});

const opensOn = (status: number) =>
  opensAlso((answer) => answer.status === status && resultIn(answer) !== undefined);

const headers = (change: (key: string) => Readonly<Record<string, string>>) => ({
  headers: (setup: Parameters<Program['headers']>[0]) => ({
    ...HONEST.headers(setup),
    ...change(setup.key),
  }),
});

const isFailure = (answer: Answer | string): boolean =>
  typeof answer === 'string' || answer.status >= 500;

/** True, or a time that has not come. */
const isGood = (value: unknown): boolean =>
  value === true || Date.parse(String(value)) > Date.now();

/** Tries twice where the honest one tries once. */
const repeatsFailures: Program['retryMs'] = (answer, tries) =>
  isFailure(answer) && tries < 2 ? 50 : HONEST.retryMs(answer, tries);

/** Software with one fault each. */
export const PROGRAM_FAULTS: readonly Fault<Program>[] = [
  {
    does: 'adds a slash to the path',
    caughtBy: ['4/client-path'],
    change: { url: ({ baseUrl }) => `${baseUrl}//scan/consume` },
  },
  {
    does: 'sends the key as Authorization: Bearer',
    caughtBy: ['5/client-key-header'],
    change: {
      headers: ({ key }) => ({
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
      }),
    },
  },
  {
    does: 'sends the key as Authorization, too',
    caughtBy: ['5/client-key-only-there'],
    change: headers((key) => ({ authorization: `Bearer ${key}` })),
  },
  {
    does: 'puts the key into the URL, too',
    caughtBy: ['5/client-key-only-there'],
    change: { url: ({ baseUrl, key }) => `${baseUrl}/scan/consume?key=${key}` },
  },
  {
    does: 'writes the key in upper case',
    caughtBy: ['5/client-key-header'],
    change: headers((key) => ({ 'x-api-key': key.toUpperCase() })),
  },
  {
    does: 'says that its JSON is plain text',
    caughtBy: ['4.1/client-content-type'],
    change: headers(() => ({ 'content-type': 'text/plain' })),
  },
  {
    does: 'sends a form',
    caughtBy: ['4.1/client-body'],
    change: {
      ...headers(() => ({ 'content-type': 'application/x-www-form-urlencoded' })),
      body: (code) => `ticketCode=${encodeURIComponent(code)}`,
    },
  },
  {
    does: 'names the member code',
    caughtBy: ['4.1/client-body'],
    change: { body: (code) => JSON.stringify({ code }) },
  },
  {
    does: 'sends the identifier of the ticket alone',
    caughtBy: ['4.1/client-whole-code'],
    change: { body: (code) => JSON.stringify({ ticketCode: code.split('.')[1] ?? code }) },
  },
  {
    does: 'takes every HTTP 200 for an admission',
    caughtBy: ['7.1/client-reads-valid'],
    change: opensOn(200),
  },
  {
    does: 'looks at status in place of valid',
    caughtBy: ['4.6/client-opens-on-true-only'],
    change: {
      opens: (answer) => answer.status === 200 && resultIn(answer)?.['status'] === 'consumed',
    },
  },
  {
    does: 'looks at usesRemaining in place of valid',
    caughtBy: ['7.1/client-reads-valid', '4.6/client-opens-on-valid'],
    change: {
      opens: (answer) => answer.status === 200 && Number(resultIn(answer)?.['usesRemaining']) > 0,
    },
  },
  ...[
    [400, '7.1/client-denies-on-400'],
    [401, '5/client-denies-on-401'],
    [403, '5/client-denies-on-403'],
    [404, '7.1/client-denies-on-404'],
    [429, '8/client-denies-on-429'],
  ].map(([status, id]) => ({
    does: `opens on HTTP ${status}`,
    caughtBy: [String(id)],
    change: opensOn(Number(status)),
  })),
  {
    does: 'opens on HTTP 500',
    caughtBy: ['7.1/client-never-opens-on-500'],
    change: opensOn(500),
  },
  {
    does: 'does not look at the HTTP status',
    caughtBy: ['5/client-denies-on-403'],
    change: { opens: (answer) => resultIn(answer)?.['valid'] === true },
  },
  {
    does: 'opens on the page of a proxy',
    caughtBy: ['7.1/client-never-opens-on-5xx'],
    change: opensAlso(({ status }) => status === 502),
  },
  {
    does: 'opens when an answer is no JSON',
    caughtBy: ['2.3/client-denies-on-malformed'],
    change: opensAlso((answer) => answer.status === 200 && answer.isWhole && !resultIn(answer)),
  },
  {
    does: 'searches the text of an answer',
    caughtBy: ['2.3/client-denies-on-malformed', '2.3/client-any-json'],
    change: { opens: ({ status, text }) => status === 200 && text.includes('"valid":true') },
  },
  {
    does: 'opens on half of an answer',
    caughtBy: ['7.1/client-denies-without-answer'],
    change: opensAlso(({ isWhole }) => !isWhole),
  },
  {
    does: 'opens without an answer',
    caughtBy: ['7.1/client-denies-without-answer'],
    change: { failsOpen: () => true },
  },
  {
    does: 'opens after a timeout',
    caughtBy: ['7.1/client-denies-without-answer'],
    change: { failsOpen: (noAnswer) => noAnswer === 'silence' },
  },
  {
    does: 'opens when the server cannot be reached',
    caughtBy: ['7.1/client-denies-unreachable'],
    change: { failsOpen: (noAnswer) => noAnswer === 'refused' },
  },
  {
    does: 'opens for a code that was admitted before, though it is denied',
    caughtBy: ['4.6/client-asks-each-time'],
    change: { opensKnown: (answer) => typeof answer !== 'string' },
  },
  {
    does: 'opens offline for a code that was admitted before',
    caughtBy: ['7.1/client-remembers-no-admission'],
    change: { opensKnown: (answer) => answer === 'refused' },
  },
  ...(
    [
      [400, '7.1/client-denies-on-400'],
      [401, '5/client-denies-on-401'],
      [403, '5/client-denies-on-403'],
      [404, '7.1/client-denies-on-404'],
      [429, '8/client-denies-on-429'],
      [502, '7.1/client-never-opens-on-5xx'],
    ] as const
  ).map(
    ([status, id]): Fault<Program> => ({
      does: `opens on HTTP ${status} for a code that was admitted before`,
      caughtBy: [id],
      change: {
        opensKnown: (answer) => typeof answer !== 'string' && answer.status === status,
      },
    }),
  ),
  ...['validated', 'validUntil'].map(
    (member): Fault<Program> => ({
      does: `opens where ${member} is there`,
      caughtBy: ['4.6/client-opens-on-true-only'],
      change: opensAlso((answer) => answer.status === 200 && isGood(resultIn(answer)?.[member])),
    }),
  ),
  {
    does: 'looks for valid in an inner object, too',
    caughtBy: ['4.6/client-opens-on-true-only'],
    change: opensAlso((answer) => {
      const inner = resultIn(answer)?.['result'];
      return (inner as Record<string, unknown> | undefined)?.['valid'] === true;
    }),
  },
  {
    does: 'opens on HTTP 503',
    caughtBy: ['7.1/client-never-opens-on-5xx'],
    change: opensAlso(({ status }) => status === 503),
  },
  {
    does: 'opens on valid true with HTTP 403',
    caughtBy: ['5/client-denies-on-403'],
    change: opensAlso((answer) => answer.status === 403 && resultIn(answer)?.['valid'] === true),
  },
  {
    does: 'stays shut for more than 100 uses',
    caughtBy: ['4.6/client-opens-on-valid'],
    change: {
      opens: (answer) => HONEST.opens(answer) && Number(resultIn(answer)?.['usesAllowed']) <= 100,
    },
  },
  {
    does: 'stays shut after the first use',
    caughtBy: ['4.6/client-opens-on-valid'],
    change: {
      opens: (answer) => HONEST.opens(answer) && resultIn(answer)?.['usesConsumed'] === 1,
    },
  },
  {
    does: 'opens when it starts',
    caughtBy: ['4.6/client-never-opens-by-itself'],
    change: { opensAtStart: true },
  },
  {
    does: 'never opens',
    caughtBy: ['4.6/client-opens-on-valid'],
    change: { opens: () => false },
  },
  {
    does: 'shows a text of its own',
    caughtBy: ['4.6/client-shows-message'],
    change: { shows: () => 'Denied' },
  },
  {
    does: 'shows message on HTTP 200 alone',
    caughtBy: ['4.6/client-shows-message-of-errors'],
    change: { shows: (answer) => (answer.status === 200 ? HONEST.shows(answer) : 'Error') },
  },
  {
    does: 'shows nothing when there is no result',
    caughtBy: ['7.1/client-tells-failure'],
    change: { tellsFailure: false },
  },
  {
    does: 'takes the first piece of an answer for all of it',
    caughtBy: ['4.2/client-chunked-answer'],
    change: { readsOnce: true },
  },
  {
    does: 'wants the members in their usual order',
    caughtBy: ['2.3/client-any-json'],
    change: {
      opens: (answer) => HONEST.opens(answer) && Object.keys(resultIn(answer) ?? {})[0] === 'valid',
    },
  },
  {
    does: 'consumes a code twice',
    caughtBy: ['3.2/client-consumes-once'],
    change: { requests: 2 },
  },
  {
    does: 'repeats a lost consume without an Idempotency-Key',
    caughtBy: ['3.2/client-retries-lost-safely'],
    change: { idempotencyKey: () => undefined, retryMs: repeatsFailures },
  },
  {
    does: 'has another Idempotency-Key for each try',
    caughtBy: ['3.2/client-retries-lost-safely'],
    change: { idempotencyKey: () => randomUUID(), retryMs: repeatsFailures },
  },
  {
    does: 'makes its Idempotency-Key from the code',
    caughtBy: ['3.2/client-new-idempotency-key'],
    change: { idempotencyKey: (_presentation, code) => code.slice(-20) },
  },
  {
    does: 'gives up on HTTP 429',
    caughtBy: ['7.2/client-waits-on-429'],
    change: { retryMs: () => undefined },
  },
  {
    does: 'does not read Retry-After',
    caughtBy: ['7.2/client-waits-on-429'],
    change: {
      retryMs: (answer, tries) =>
        HONEST.retryMs(answer, tries) === undefined ? undefined : 100 * 2 ** tries,
    },
  },
  {
    does: 'reads Retry-After as milliseconds',
    caughtBy: ['7.2/client-waits-on-429'],
    change: {
      retryMs: (answer, tries) =>
        HONEST.retryMs(answer, tries) === undefined ? undefined : 60 * 2 ** tries,
    },
  },
  {
    does: 'repeats at once where Retry-After is missing',
    caughtBy: ['7.2/client-waits-without-retry-after'],
    change: {
      retryMs(answer, tries) {
        const ms = HONEST.retryMs(answer, tries);
        if (ms === undefined || typeof answer === 'string') return undefined;
        return answer.headers['retry-after'] === undefined && tries === 1 ? 0 : ms;
      },
    },
  },
  {
    does: 'waits for the same time after each HTTP 429',
    caughtBy: ['7.2/client-backs-off'],
    change: {
      retryMs(answer, tries) {
        const ms = HONEST.retryMs(answer, tries);
        return ms === undefined ? undefined : ms >= 1000 ? ms : 600;
      },
    },
  },
  {
    does: 'repeats what a refused key gets',
    caughtBy: ['5/client-accepts-401'],
    change: {
      retryMs: (answer, tries) =>
        typeof answer !== 'string' && answer.status === 401 && tries < 4
          ? 20
          : HONEST.retryMs(answer, tries),
    },
  },
  {
    does: 'ends when the server cannot be reached',
    caughtBy: ['3.2/client-comes-back'],
    change: { givesUp: true },
  },
  {
    does: 'follows redirects with its key',
    caughtBy: ['5/client-redirect'],
    change: { followsRedirects: true },
  },
  {
    does: 'validates after a lost consume, and opens whatever it says',
    caughtBy: ['3.2/client-used-meanwhile'],
    change: { afterLoss: 'validates and opens' },
  },
  {
    does: 'validates after a lost consume, and consumes whatever it says',
    caughtBy: ['3.2/client-used-meanwhile'],
    change: { afterLoss: 'validates and consumes' },
  },
  {
    does: 'validates in place of a consume after the fifth code',
    caughtBy: ['4.6/client-consumes'],
    change: { consumesMax: 5 },
  },
  {
    does: 'validates, and opens before it consumes',
    caughtBy: ['3.2/client-used-meanwhile'],
    change: { opensOnValidate: true },
  },
  {
    does: 'never consumes',
    caughtBy: ['4.6/client-consumes'],
    change: { url: ({ baseUrl }) => `${baseUrl}/scan/validate` },
  },
  {
    does: 'cuts codes to 64 characters',
    caughtBy: ['4.1/client-long-code'],
    change: { body: (code) => JSON.stringify({ ticketCode: code.slice(0, 64) }) },
  },
  {
    does: 'sends the line end of the scanner',
    caughtBy: ['4.1/client-whole-code'],
    change: { body: (code) => JSON.stringify({ ticketCode: `${code}\n` }) },
  },
  {
    does: 'types codes as a German keyboard does',
    caughtBy: ['4.1/client-whole-code'],
    change: {
      body: (code) => JSON.stringify({ ticketCode: code.replaceAll('_', '?') }),
    },
  },
  {
    does: 'opens when a result comes late',
    caughtBy: ['7.1/client-late-result'],
    change: { opensLate: true },
  },
  {
    does: 'wants uses that remain',
    caughtBy: ['4.6/client-opens-on-valid'],
    change: {
      opens: (answer) => HONEST.opens(answer) && Number(resultIn(answer)?.['usesRemaining']) > 0,
    },
  },
  {
    does: 'wants a holder',
    caughtBy: ['4.6/client-opens-on-last-use'],
    change: {
      opens: (answer) => HONEST.opens(answer) && resultIn(answer)?.['holder'] !== undefined,
    },
  },
  {
    does: 'takes 1 for true',
    caughtBy: ['4.6/client-opens-on-true-only'],
    change: opensAlso((answer) => answer.status === 200 && resultIn(answer)?.['valid'] === 1),
  },
  {
    does: 'takes "true" for true',
    caughtBy: ['4.6/client-opens-on-true-only'],
    change: opensAlso((answer) => answer.status === 200 && resultIn(answer)?.['valid'] === 'true'),
  },
  {
    does: 'does not ask again for a code that was denied',
    caughtBy: ['4.6/client-admits-after-denial'],
    change: { keepsDenied: true },
  },
  {
    does: 'goes by the last result when none can be read',
    caughtBy: ['2.3/client-denies-on-malformed'],
    plays: ['4.2/client-chunked-answer', '2.3/client-any-json'],
    change: { goesByTheLast: true },
  },
  {
    does: 'opens when it is redirected',
    caughtBy: ['2.3/client-denies-on-malformed'],
    change: opensAlso(({ status }) => status === 302),
  },
  {
    does: 'wants application/json and nothing behind it',
    caughtBy: ['2.3/client-any-json'],
    change: {
      opens: (answer) =>
        HONEST.opens(answer) && answer.headers['content-type'] === 'application/json',
    },
  },
  {
    does: 'has one Idempotency-Key for everything',
    caughtBy: ['3.2/client-new-idempotency-key'],
    change: { idempotencyKey: () => 'gate-1' },
  },
  {
    does: 'waits for a second after HTTP 429 whatever Retry-After says',
    caughtBy: ['7.2/client-waits-on-429'],
    change: {
      retryMs: (answer, tries) =>
        HONEST.retryMs(answer, tries) === undefined ? undefined : tries === 1 ? 1000 : 1300,
    },
  },
  {
    does: 'repeats what HTTP 404 gets',
    caughtBy: ['7.1/client-accepts-4xx'],
    change: {
      retryMs: (answer, tries) =>
        typeof answer !== 'string' && answer.status === 404 && tries < 6
          ? 10
          : HONEST.retryMs(answer, tries),
    },
  },
  {
    does: 'sends codes later that it could not send',
    caughtBy: ['3.2/client-silent-after-outage'],
    change: { sendsLater: true },
  },
  {
    does: 'hides the key in a cookie, in Base64',
    caughtBy: ['5/client-key-only-there'],
    change: headers((key) => ({ cookie: `auth=${Buffer.from(key).toString('base64url')}` })),
  },
  {
    does: 'writes half of the key into its User-Agent',
    caughtBy: ['5/client-key-only-there'],
    change: headers((key) => ({ 'user-agent': `gate/1 (${key.slice(20)})` })),
  },
];
