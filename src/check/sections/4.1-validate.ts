import type { CheckCase } from '../cases/case.ts';
import { judging, on } from '../cases/matrix.ts';
import { expectAbsent, expectFields, expectStatus } from '../judging/expect.ts';
import { isDevice, SCANS } from '../requests/endpoint.ts';
import type { RequestSpec } from '../requests/exchange.ts';
import { describeAnswer } from '../requests/exchange.ts';
import { cardOf } from '../requests/scan-request.ts';
import { GOOD, GOOD_TOO, grantedCode, grantFor } from '../samples/samples.ts';

const OK = { valid: true, status: 'validated' } as const;

/** Section 4.1: POST /scan/validate. */
export const VALIDATE_CASES: readonly CheckCase[] = [
  ...[...GOOD, ...GOOD_TOO].map(
    (kind): CheckCase => ({
      id: `4.1/${kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-validated`,
      requirement: `A good ticket (${kind}) is \`validated\`, with valid true and HTTP 200.`,
      cause: 'A good ticket of this kind is refused.',
      cells: judging([kind], ['validate'], (exchange) => {
        expectFields(exchange, OK);
        expectStatus(exchange, 200);
      }),
    }),
  ),
  {
    id: '4.1/no-scanned-at',
    requirement: 'A validate result has no scannedAt.',
    cause: 'The consume answer is used for validate as well.',
    cells: judging(GOOD, ['validate'], (exchange) => expectAbsent(exchange, ['scannedAt'])),
  },
  {
    id: '4.1/no-use-registered',
    endpoint: 'validate',
    keys: ['rest'],
    tickets: { single: 1 },
    requirement: 'No use is registered: a single ticket can be validated again and again.',
    cause: 'Validate consumes.',
    async run(scan) {
      const { code } = scan.ticket('single');
      for (let i = 0; i < 3; i += 1) {
        expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
      }
    },
  },
  {
    id: '4.1/no-scanned-at-after-a-use',
    endpoint: 'validate',
    keys: ['rest'],
    tickets: { multi: 1 },
    uses: { multi: 1 },
    requirement: 'A validate result has no scannedAt even when the ticket was consumed before.',
    cause: 'The time of the last use is stored in the ticket and always shown.',
    async run(scan) {
      const { code } = scan.ticket('multi');
      expectFields(await scan.consume(code), { status: 'consumed' });
      const exchange = await scan.validate(code);
      expectFields(exchange, { status: 'validated' });
      expectAbsent(exchange, ['scannedAt']);
    },
  },
  acceptedCase(
    'charset',
    'A content type with `charset=utf-8` is application/json as well.',
    (request) => ({
      ...request,
      headers: (request.headers ?? []).map(([name, value]) =>
        name === 'content-type' ? [name, 'application/json; charset=utf-8'] : [name, value],
      ),
    }),
  ),
  acceptedCase(
    'json-whitespace',
    'White space around and in the JSON body changes nothing.',
    (request) => ({
      ...request,
      body: `\r\n ${JSON.stringify(JSON.parse(String(request.body)), null, '\t')} \n`,
    }),
  ),
  acceptedCase(
    'json-escapes',
    'A text written with JSON escapes is the same text.',
    (request, code) => ({
      ...request,
      body: String(request.body).replace(JSON.stringify(code), `"${escaped(code)}"`),
    }),
  ),
  {
    ...acceptedCase(
      'body-in-chunks',
      'A body in chunks, as clients of HTTP/1.1 may send it (RFC 9112, 7.1), is read like any other.',
      (request) => ({ ...request, isChunked: true }),
    ),
    level: 'observed',
    cause: 'A server or a proxy wants the length of a body beforehand (411), or reads no body.',
  },
  observedCase('no-content-type', 'What a request without Content-Type gets.', (request) => ({
    ...request,
    headers: request.headers?.slice(0, 1) ?? [],
  })),
  observedCase('text-plain', 'What JSON that is sent as text/plain gets.', (request) => ({
    ...request,
    headers: [request.headers?.[0] ?? ['', ''], ['content-type', 'text/plain']],
  })),
  observedCase('more-members', 'What a body with further members gets.', (request, code) => ({
    ...request,
    body: JSON.stringify({ ticketCode: code, gate: 'north', at: null }),
  })),
  observedCase(
    'twice-ticket-code',
    'What a body with two members `ticketCode` gets.',
    (request, code) => ({
      ...request,
      body: `{"ticketCode":"first","ticketCode":${JSON.stringify(code)}}`,
    }),
  ),
  observedCase(
    'byte-order-mark',
    'What a body that begins with a byte-order mark gets.',
    (request) => ({
      ...request,
      body: `\ufeff${request.body}`,
    }),
  ),
  observedCase('no-utf-8', 'What a body that is no UTF-8 gets.', (request) => ({
    ...request,
    body: Buffer.concat([
      Buffer.from('{"ticketCode":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]),
  })),
  observedCase('long-code', 'What a ticketCode of 10,000 characters gets.', (request) => ({
    ...request,
    body: JSON.stringify({ ticketCode: 'A'.repeat(10_000) }),
  })),
  observedCase('deep-nesting', 'What a body with 2,000 levels of nesting gets.', (request) => ({
    ...request,
    body: `{"ticketCode":${'['.repeat(2000)}${']'.repeat(2000)}}`,
  })),
  observedCase('blank-code', 'What a ticketCode of spaces gets.', (request) => ({
    ...request,
    body: '{"ticketCode":"   "}',
  })),
];

type Change = (request: RequestSpec, code: string) => RequestSpec;

/** Asked on every endpoint: the device in the samples sends JSON as well. */
function acceptedCase(name: string, requirement: string, change: Change): CheckCase {
  return {
    id: `4.1/${name}`,
    requirement,
    cause: 'The header or the body is compared as text instead of being parsed.',
    cells: on(SCANS, (endpoint) => ({
      ...grantFor(endpoint),
      async run(scan) {
        const code = grantedCode(scan, endpoint);
        const sent = isDevice(endpoint) ? cardOf(code) : code;
        const exchange = await scan.send(change(scan.request(endpoint, code), sent));
        expectFields(exchange, isDevice(endpoint) ? { AcsRes: '1' } : { valid: true });
      },
    })),
  };
}

function observedCase(name: string, requirement: string, change: Change): CheckCase {
  return {
    id: `4.1/answer-to-${name}`,
    level: 'unstated',
    keys: ['rest'],
    tickets: { single: 1 },
    requirement,
    cause: 'The specification does not say.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const request = change(scan.request('validate', code), code);
      return describeAnswer((await scan.send(request)).answer);
    },
  };
}

function escaped(text: string): string {
  return [...text]
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
