import { isLoopback } from '../base-url.ts';
import type { CheckCase } from '../case.ts';
import { Deviation } from '../deviation.ts';
import { type Exchange, endpointOf } from '../exchange.ts';
import { DEVICE_FIELDS } from '../facts/device-answer.ts';
import { isRecord, namesIn, stringsIn } from '../facts/json.ts';
import { RESULT_FIELDS } from '../facts/scan-result.ts';
import type { Scan } from '../scan.ts';

const EMAIL = /[\w.+-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}/i;
const EMAIL_NAME = /e[-_]?mail/i;
const PAYMENT_NAME =
  /(price|payment|\bpaid|(^|total|net|gross)_?amount|currency|invoice|iban|(credit|debit)_?card|card_?number|billing|refund|(^|_)(vat|tax)(?![a-z])|order_?(number|total))/i;

/** Answers that the review has to have seen, whatever else ran. */
const SAMPLES_WITH_TICKET_DATA = ['single validated', 'personalised validated'];

/** Section 1: what the service is for, and what it never tells. */
export const PURPOSE_CASES: readonly CheckCase[] = [
  {
    id: '1/https',
    level: 'unstated',
    requirement: 'Requests to the service use HTTPS.',
    cause: 'The deployment is reachable over plain HTTP.',
    async run(scan) {
      const { protocol, hostname } = scan.baseUrl;
      if (protocol === 'https:') return 'checked over HTTPS';
      return `checked over plain HTTP${isLoopback(hostname) ? ' on this machine' : ', as asked for'}`;
    },
  },
  {
    id: '1/json-responses',
    level: 'stated',
    phase: 'review',
    samples: ['key missing', 'personalised validated'],
    requirement: 'Own software gets JSON responses: a JSON body that is announced as JSON.',
    cause: 'The Content-Type header of an answer is missing or is not application/json.',
    async run(scan) {
      for (const exchange of await seen(scan, 'rest')) {
        const type = exchange.answer.headers['content-type'] ?? 'none';
        const { body, json } = exchange.answer;
        if (exchange.level === 'stated' && body.includes('\ufffd'))
          scan.fail('JSON in UTF-8', 'a body that is no UTF-8', exchange);
        const isJson = /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type);
        if (isJson && json !== undefined) continue;
        const noJson = json === undefined ? ' and a body that is no JSON' : '';
        scan.fail('content-type: application/json', `content-type: ${type}${noJson}`, exchange);
      }
    },
  },
  {
    id: '1/no-email-address',
    level: 'stated',
    phase: 'review',
    samples: SAMPLES_WITH_TICKET_DATA,
    requirement: 'The service transmits no e-mail addresses.',
    cause: "The answer is made from the whole stored ticket, with its buyer's address.",
    async run(scan) {
      for (const exchange of await seen(scan)) {
        const found =
          [...stringsIn(exchange.answer.json)].find(({ text }) => EMAIL.test(text)) ??
          [...namesIn(exchange.answer.json)].find(({ name }) => EMAIL_NAME.test(name));
        if (found) scan.fail('no e-mail address', `one in the field ${found.path}`, exchange);
      }
    },
  },
  {
    id: '1/no-payment-information',
    level: 'stated',
    phase: 'review',
    samples: SAMPLES_WITH_TICKET_DATA,
    requirement: 'The service transmits no payment information.',
    cause: 'The answer is made from the whole stored ticket, with its price or order.',
    async run(scan) {
      for (const exchange of await seen(scan)) {
        const found = [...namesIn(exchange.answer.json)].find(({ name }) =>
          PAYMENT_NAME.test(name),
        );
        if (found) scan.fail('no payment information', `the field ${found.path}`, exchange);
      }
    },
  },
  {
    id: '1/other-fields',
    level: 'unstated',
    phase: 'review',
    samples: SAMPLES_WITH_TICKET_DATA,
    requirement: 'Only data relevant to scanning is returned.',
    cause: 'Answers have fields that the specification does not know.',
    async run(scan) {
      const known = new Set([...RESULT_FIELDS, ...DEVICE_FIELDS, 'firstName', 'lastName', 'Key']);
      const others = new Set<string>();
      for (const { answer, level } of await seen(scan)) {
        // other device models have formats of their own
        if (level !== 'stated') continue;
        for (const { path, name } of namesIn(answer.json)) if (!known.has(name)) others.add(path);
      }
      return others.size === 0
        ? 'no field beyond the documented ones'
        : `fields beyond the documented ones: ${[...others].sort().join(', ')}`;
    },
  },
  {
    id: '1/answer-times',
    level: 'unstated',
    phase: 'review',
    samples: ['key missing'],
    requirement: 'Answers are immediate, in real time.',
    cause: 'The service is slow, or far away.',
    async run(scan) {
      const times = (await seen(scan)).map(({ durationMs }) => durationMs).sort((a, b) => a - b);
      const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1);
      return `median ${at(0.5)} ms, 99 of 100 within ${at(0.99)} ms, slowest ${at(1)} ms (${times.length} answers)`;
    },
  },
];

/** Every answer of the run, of one kind of endpoint or of all, samples included. */
async function seen(scan: Scan, kind?: 'rest'): Promise<readonly Exchange[]> {
  const exchanges = scan
    .exchanges()
    .filter(({ request }) => kind === undefined || endpointOf(request) === kind);
  if (exchanges.length === 0) throw new Deviation('an answer', 'none in the whole run');
  return exchanges.filter(({ answer, level }) => kind === undefined || judged(answer.json, level));
}

/** What a server does with requests that the specification does not describe is not judged. */
function judged(json: unknown, level: Exchange['level']): boolean {
  return level === 'stated' || isRecord(json);
}
