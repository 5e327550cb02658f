import { type CheckCase, NotApplicable } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import { describeAnswer } from '../facts/exchange.ts';
import { Deviation } from '../facts/failures.ts';
import { isRecord } from '../facts/json.ts';
import { keylessRequest } from '../requests/scan-request.ts';
import { NO_TICKET } from '../samples/samples.ts';

const DAYS_MIN = 30;
const DAY_MS = 86_400_000;

/** Section 1: requests to the service use HTTPS. Only what can be seen beside the requests themselves. */
export const HTTPS_CASES: readonly CheckCase[] = [
  overHttps({
    id: '1/plain-http-closed',
    requirement: 'Plain HTTP beside the HTTPS address gives no answer of the service.',
    cause: 'The service listens on plain HTTP too, where keys can be read on the way.',
    async run(scan) {
      const request = keylessRequest('validate', NO_TICKET);
      for (const { origin, answer } of await scan.https.plainAnswers(request)) {
        // a redirect, or the page of a proxy that refuses plain HTTP, is not an answer of the service
        if (answer.status >= 300 && answer.status < 400) continue;
        if (!isRecord(answer.json) && answer.status >= 400) continue;
        throw new Deviation(
          'no answer, or a redirect',
          `${origin}: ${describeAnswer(answer, 200)}`,
        );
      }
    },
  }),
  overHttps({
    id: '1/certificate-lasts',
    requirement: `The certificate does not end within ${DAYS_MIN} days.`,
    cause: 'Certificates are not renewed by themselves: gates stop when this one ends.',
    async run(scan) {
      const { validUntil } = await scan.https.handshake();
      const days = Math.floor((validUntil.getTime() - scan.clock.wallNow()) / DAY_MS);
      const until = validUntil.toISOString().slice(0, 10);
      if (days >= DAYS_MIN) return;
      throw new Deviation(
        `valid for ${DAYS_MIN} days or more`,
        `it ends on ${until}, in ${days} days`,
      );
    },
  }),
  overHttps({
    id: '1/no-old-tls',
    requirement: 'TLS versions before 1.2 are refused.',
    cause: 'The proxy before the service still offers TLS 1.0 or 1.1, which can be broken.',
    async run(scan) {
      const old = await scan.https.oldVersion();
      if (old !== undefined)
        throw new Deviation('TLS 1.2 or 1.3 only', `${old} when nothing else is offered`);
    },
  }),
];

/** A case that means something only for an `https://` address. */
function overHttps(one: {
  readonly id: string;
  readonly requirement: string;
  readonly cause: string;
  run(scan: Scan): Promise<void>;
}): CheckCase {
  return {
    ...one,
    level: 'observed',
    async run(scan) {
      if (scan.baseUrl.protocol !== 'https:')
        return new NotApplicable('the base address is plain HTTP');
      return one.run(scan);
    },
  };
}
