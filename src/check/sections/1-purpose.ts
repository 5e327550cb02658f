import type { CheckCase } from '../cases/case.ts';
import { DEVICE_FIELDS } from '../facts/device-answer.ts';
import { ENDPOINTS, type Exchange, REST, SCANS } from '../facts/exchange.ts';
import { isRecord, namesIn, stringsIn, whyUnreadable } from '../facts/json.ts';
import { RESULT_FIELDS } from '../facts/scan-result.ts';
import { answersOf, everyAnswer, on, reviewing, ruling } from '../samples/matrix.ts';
import { sampleOf } from '../samples/samples.ts';

const EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}/i;
const EMAIL_NAME = /e[-_]?mail/i;
const PAYMENT_NAME =
  /(price|payment|\bpaid|(^|total|net|gross)_?amount|currency|invoice|iban|(credit|debit)_?card|card_?number|billing|refund|(^|_)(vat|tax)(?![a-z])|order_?total)/i;

const KNOWN_FIELDS = new Set([...RESULT_FIELDS, ...DEVICE_FIELDS, 'firstName', 'lastName']);

/** Section 1: what the service is for, and what it never reveals. */
export const PURPOSE_CASES: readonly CheckCase[] = [
  {
    id: '1/json-responses',
    phase: 'review',
    requirement: 'Own software gets JSON responses: a JSON body that is announced as JSON.',
    cause:
      'The body is not JSON in UTF-8, Content-Length does not count its bytes, or Content-Type does not say application/json.',
    ...ruling(REST, ({ answer, level }) => {
      // what a proxy says to a request that the specification does not describe is its own
      if (level !== 'stated') return undefined;
      const unreadable = whyUnreadable(answer);
      if (unreadable) return ['a JSON object in UTF-8', unreadable];
      const type = answer.headers['content-type'] ?? 'none';
      const isJson = /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type);
      return isJson ? undefined : ['content-type: application/json', `content-type: ${type}`, []];
    }),
  },
  {
    id: '1/charset-as-sent',
    level: 'observed',
    phase: 'review',
    requirement: 'An answer announces no other charset than the one that its text is in: UTF-8.',
    cause:
      'The framework announces its own default, and a client that believes it shows "gÃ¼ltig".',
    cells: reviewing(ENDPOINTS, ({ answer, level }) => {
      const type = answer.headers['content-type'] ?? '';
      const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8';
      const isOther = !/^utf-?8$/i.test(charset) && /[^\0-\x7f]/.test(answer.body);
      return level === 'stated' && isOther
        ? ['charset=utf-8, or none', `content-type: ${type}, over text in UTF-8`]
        : undefined;
    }),
  },
  {
    id: '1/no-email-address',
    phase: 'review',
    requirement: 'The service transmits no e-mail addresses.',
    cause: "The answer is made from the whole stored ticket, with its buyer's address.",
    ...ruling(ENDPOINTS, (exchange) => {
      const json = judged(exchange);
      const found =
        [...stringsIn(json)].find(({ text }) => EMAIL.test(text)) ??
        [...namesIn(json)].find(({ name, isNull }) => !isNull && EMAIL_NAME.test(name));
      if (found) return ['no e-mail address', `one in the field ${found.path}`, [found.path]];
      const header = Object.entries(exchange.answer.headers).find(([, text]) => EMAIL.test(text));
      return header && ['no e-mail address', `one in the header ${header[0]}`, []];
    }),
  },
  {
    id: '1/no-payment-information',
    phase: 'review',
    requirement: 'The service transmits no payment information.',
    cause: 'The answer is made from the whole stored ticket, with its price or order.',
    ...ruling(ENDPOINTS, (exchange) => {
      const found = [...namesIn(judged(exchange))].find(
        ({ name, isNull }) => !isNull && PAYMENT_NAME.test(name),
      );
      return found && ['no payment information', `the field ${found.path}`, [found.path]];
    }),
  },
  {
    id: '1/other-fields',
    level: 'observed',
    phase: 'review',
    requirement: 'Only data relevant to scanning is returned.',
    cause: 'Answers have fields that the specification does not know.',
    cells: on(SCANS, (endpoint) => ({
      samples: everyAnswer(endpoint),
      async run(scan) {
        // other device models have formats of their own
        const answers = (await answersOf(scan, endpoint)).filter(({ level }) => level === 'stated');
        const others = ({ answer }: Exchange) =>
          [...namesIn(answer.json)].filter(({ name }) => !KNOWN_FIELDS.has(name));
        const paths = new Set(answers.flatMap(others).map(({ path }) => path));
        if (paths.size === 0) return;
        const found = [...paths].sort().join(', ');
        const shown = answers.find((one) => others(one).length > 0);
        const seen = `fields beyond the documented ones: ${found}`;
        scan.fail('only documented fields', seen, shown, [...paths]);
      },
    })),
  },
  {
    id: '1/answer-times',
    level: 'unstated',
    phase: 'review',
    samples: [sampleOf('noKey', 'validate')],
    requirement: 'Answers are immediate, in real time.',
    cause: 'The service is slow, or far away.',
    async run(scan) {
      await scan.sample(sampleOf('noKey', 'validate'));
      const times = scan
        .exchanges()
        .map(({ durationMs }) => durationMs)
        .sort((a, b) => a - b);
      const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1);
      return `median ${at(0.5)} ms, 99 of 100 within ${at(0.99)} ms, slowest ${at(1)} ms (${times.length} answers)`;
    },
  },
];

/** What a server does with requests that the specification does not describe is judged only where it is an object. */
function judged({ answer, level }: Exchange): unknown {
  return level === 'stated' || isRecord(answer.json) ? answer.json : undefined;
}
