import { randomUUID } from 'node:crypto';
import { type Fault, faultsBy } from './fault.ts';
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

const opensKnownOn = (status: number): Partial<Program> => ({
  opensKnown: (answer) => typeof answer !== 'string' && answer.status === status,
});

/** Opens on answers with that status, for any code or for one that was admitted before. */
const opening = (status: number) => ({
  [`opens on HTTP ${status}`]: opensOn(status),
  [`opens on HTTP ${status} for a code that was admitted before`]: opensKnownOn(status),
});

const opensWhere = (member: string) =>
  opensAlso((answer) => answer.status === 200 && isGood(resultIn(answer)?.[member]));

/** Software with one fault each. */
export const PROGRAM_FAULTS: readonly Fault<Program>[] = faultsBy<Program>({
  '4/client-path': {
    'adds a slash to the path': { url: ({ baseUrl }) => `${baseUrl}//scan/consume` },
  },
  '5/client-key-header': {
    'sends the key as Authorization: Bearer': {
      headers: ({ key }) => ({
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
      }),
    },
    'writes the key in upper case': headers((key) => ({ 'x-api-key': key.toUpperCase() })),
  },
  '5/client-key-only-there': {
    'sends the key as Authorization, too': headers((key) => ({ authorization: `Bearer ${key}` })),
    'puts the key into the URL, too': {
      url: ({ baseUrl, key }) => `${baseUrl}/scan/consume?key=${key}`,
    },
    'hides the key in a cookie, in Base64': headers((key) => ({
      cookie: `auth=${Buffer.from(key).toString('base64url')}`,
    })),
    'writes half of the key into its User-Agent': headers((key) => ({
      'user-agent': `gate/1 (${key.slice(20)})`,
    })),
  },
  '4.1/client-content-type': {
    'says that its JSON is plain text': headers(() => ({ 'content-type': 'text/plain' })),
  },
  '4.1/client-body': {
    'sends a form': {
      ...headers(() => ({ 'content-type': 'application/x-www-form-urlencoded' })),
      body: (code) => `ticketCode=${encodeURIComponent(code)}`,
    },
    'names the member code': { body: (code) => JSON.stringify({ code }) },
  },
  '4.1/client-whole-code': {
    'sends the identifier of the ticket alone': {
      body: (code) => JSON.stringify({ ticketCode: code.split('.')[1] ?? code }),
    },
    'sends the line end of the scanner': {
      body: (code) => JSON.stringify({ ticketCode: `${code}\n` }),
    },
    'types codes as a German keyboard does': {
      body: (code) => JSON.stringify({ ticketCode: code.replaceAll('_', '?') }),
    },
  },
  '7.1/client-reads-valid': {
    'takes every HTTP 200 for an admission': opensOn(200),
  },
  '4.6/client-opens-on-true-only': {
    'opens where validated is there': opensWhere('validated'),
    'opens where validUntil is there': opensWhere('validUntil'),
    'looks at status in place of valid': {
      opens: (answer) => answer.status === 200 && resultIn(answer)?.['status'] === 'consumed',
    },
    'looks for valid in an inner object, too': opensAlso((answer) => {
      const inner = resultIn(answer)?.['result'];
      return (inner as Record<string, unknown> | undefined)?.['valid'] === true;
    }),
    'takes 1 for true': opensAlso(
      (answer) => answer.status === 200 && resultIn(answer)?.['valid'] === 1,
    ),
    'takes "true" for true': opensAlso(
      (answer) => answer.status === 200 && resultIn(answer)?.['valid'] === 'true',
    ),
  },
  '7.1/client-reads-valid, 4.6/client-opens-on-valid': {
    'looks at usesRemaining in place of valid': {
      opens: (answer) => answer.status === 200 && Number(resultIn(answer)?.['usesRemaining']) > 0,
    },
  },
  '7.1/client-never-opens-on-500': {
    'opens on HTTP 500': opensOn(500),
  },
  '5/client-denies-on-403': {
    ...opening(403),
    'does not look at the HTTP status': {
      opens: (answer) => resultIn(answer)?.['valid'] === true,
    },
    'opens on valid true with HTTP 403': opensAlso(
      (answer) => answer.status === 403 && resultIn(answer)?.['valid'] === true,
    ),
  },
  '7.1/client-never-opens-on-5xx': {
    'opens on HTTP 502 for a code that was admitted before': opensKnownOn(502),
    'opens on the page of a proxy': opensAlso(({ status }) => status === 502),
    'opens on HTTP 503': opensAlso(({ status }) => status === 503),
  },
  '2.3/client-denies-on-malformed': {
    'opens when an answer is no JSON': opensAlso(
      (answer) => answer.status === 200 && answer.isWhole && !resultIn(answer),
    ),
    'goes by the last result when none can be read': {
      goesByTheLast: true,
    },
    'opens when it is redirected': opensAlso(({ status }) => status === 302),
  },
  '2.3/client-denies-on-malformed, 2.3/client-any-json': {
    'searches the text of an answer': {
      opens: ({ status, text }) => status === 200 && text.includes('"valid":true'),
    },
  },
  '7.1/client-denies-without-answer': {
    'opens on half of an answer': opensAlso(({ isWhole }) => !isWhole),
    'opens without an answer': { failsOpen: () => true },
    'opens after a timeout': { failsOpen: (noAnswer) => noAnswer === 'silence' },
  },
  '7.1/client-denies-unreachable': {
    'opens when the server cannot be reached': {
      failsOpen: (noAnswer) => noAnswer === 'refused',
    },
  },
  '4.6/client-asks-each-time': {
    'opens for a code that was admitted before, though it is denied': {
      opensKnown: (answer) => typeof answer !== 'string',
    },
  },
  '7.1/client-remembers-no-admission': {
    'opens offline for a code that was admitted before': {
      opensKnown: (answer) => answer === 'refused',
    },
  },
  '4.6/client-opens-on-valid': {
    'stays shut for more than 100 uses': {
      opens: (answer) => HONEST.opens(answer) && Number(resultIn(answer)?.['usesAllowed']) <= 100,
    },
    'stays shut after the first use': {
      opens: (answer) => HONEST.opens(answer) && resultIn(answer)?.['usesConsumed'] === 1,
    },
    'never opens': { opens: () => false },
    'wants uses that remain': {
      opens: (answer) => HONEST.opens(answer) && Number(resultIn(answer)?.['usesRemaining']) > 0,
    },
  },
  '4.6/client-never-opens-by-itself': {
    'opens when it starts': { opensAtStart: true },
  },
  '4.6/client-shows-message': {
    'shows a text of its own': { shows: () => 'Denied' },
  },
  '4.6/client-shows-message-of-errors': {
    'shows message on HTTP 200 alone': {
      shows: (answer) => (answer.status === 200 ? HONEST.shows(answer) : 'Error'),
    },
  },
  '7.1/client-tells-failure': {
    'shows nothing when there is no result': { tellsFailure: false },
  },
  '4.2/client-chunked-answer': {
    'takes the first piece of an answer for all of it': { readsOnce: true },
  },
  '2.3/client-any-json': {
    'wants the members in their usual order': {
      opens: (answer) => HONEST.opens(answer) && Object.keys(resultIn(answer) ?? {})[0] === 'valid',
    },
    'wants application/json and nothing behind it': {
      opens: (answer) =>
        HONEST.opens(answer) && answer.headers['content-type'] === 'application/json',
    },
  },
  '3.2/client-consumes-once': {
    'consumes a code twice': { requests: 2 },
  },
  '3.2/client-retries-lost-safely': {
    'repeats a lost consume without an Idempotency-Key': {
      idempotencyKey: () => undefined,
      retryMs: repeatsFailures,
    },
    'has another Idempotency-Key for each try': {
      idempotencyKey: () => randomUUID(),
      retryMs: repeatsFailures,
    },
  },
  '3.2/client-new-idempotency-key': {
    'makes its Idempotency-Key from the code': {
      idempotencyKey: (_presentation, code) => code.slice(-20),
    },
    'has one Idempotency-Key for everything': { idempotencyKey: () => 'gate-1' },
  },
  '7.2/client-waits-on-429': {
    'gives up on HTTP 429': { retryMs: () => undefined },
    'does not read Retry-After': {
      retryMs: (answer, tries) =>
        HONEST.retryMs(answer, tries) === undefined ? undefined : 100 * 2 ** tries,
    },
    'reads Retry-After as milliseconds': {
      retryMs: (answer, tries) =>
        HONEST.retryMs(answer, tries) === undefined ? undefined : 60 * 2 ** tries,
    },
    'waits for a second after HTTP 429 whatever Retry-After says': {
      retryMs: (answer, tries) =>
        HONEST.retryMs(answer, tries) === undefined ? undefined : tries === 1 ? 1000 : 1300,
    },
  },
  '7.2/client-waits-without-retry-after': {
    'repeats at once where Retry-After is missing': {
      retryMs(answer, tries) {
        const ms = HONEST.retryMs(answer, tries);
        if (ms === undefined || typeof answer === 'string') return undefined;
        return answer.headers['retry-after'] === undefined && tries === 1 ? 0 : ms;
      },
    },
  },
  '7.2/client-backs-off': {
    'waits for the same time after each HTTP 429': {
      retryMs(answer, tries) {
        const ms = HONEST.retryMs(answer, tries);
        return ms === undefined ? undefined : ms >= 1000 ? ms : 600;
      },
    },
  },
  '5/client-accepts-401': {
    'repeats what a refused key gets': {
      retryMs: (answer, tries) =>
        typeof answer !== 'string' && answer.status === 401 && tries < 4
          ? 20
          : HONEST.retryMs(answer, tries),
    },
  },
  '3.2/client-comes-back': {
    'ends when the server cannot be reached': { givesUp: true },
  },
  '5/client-redirect': {
    'follows redirects with its key': { followsRedirects: true },
  },
  '3.2/client-used-meanwhile, 7.1/client-tells-failure': {
    'validates after a lost consume, and opens whatever it says': {
      afterLoss: 'validates and opens',
    },
  },
  '3.2/client-used-meanwhile': {
    'validates after a lost consume, and consumes whatever it says': {
      afterLoss: 'validates and consumes',
    },
  },
  '3.2/client-used-meanwhile, 7.2/client-waits-on-429': {
    'validates, and opens before it consumes': { opensOnValidate: true },
  },
  '4.6/client-consumes': {
    'validates in place of a consume after the fifth code': { consumesMax: 5 },
    'never consumes': { url: ({ baseUrl }) => `${baseUrl}/scan/validate` },
  },
  '4.1/client-long-code': {
    'cuts codes to 64 characters': {
      body: (code) => JSON.stringify({ ticketCode: code.slice(0, 64) }),
    },
  },
  '7.1/client-late-result': {
    'opens when a result comes late': { opensLate: true },
  },
  '4.6/client-opens-on-last-use': {
    'wants a holder': {
      opens: (answer) => HONEST.opens(answer) && resultIn(answer)?.['holder'] !== undefined,
    },
  },
  '4.6/client-admits-after-denial, 7.1/client-tells-failure': {
    'does not ask again for a code that was denied': { keepsDenied: true },
  },
  '7.1/client-accepts-4xx': {
    'repeats what HTTP 404 gets': {
      retryMs: (answer, tries) =>
        typeof answer !== 'string' && answer.status === 404 && tries < 6
          ? 10
          : HONEST.retryMs(answer, tries),
    },
  },
  '3.2/client-silent-after-outage': {
    'sends codes later that it could not send': { sendsLater: true },
  },
  '7.1/client-denies-on-400': {
    ...opening(400),
  },
  '5/client-denies-on-401': {
    ...opening(401),
  },
  '7.1/client-denies-on-404': {
    ...opening(404),
  },
  '8/client-denies-on-429': {
    ...opening(429),
  },
});
