import { isRecord, parsedJson, show } from '../../facts/json.ts';
import { headerValues, pathOf, queryValues, type SeenRequest } from '../wire/seen-request.ts';
import type { DeviceCase } from './device-case.ts';
import { type Facts, NotShown, SubjectDeviation } from './facts.ts';
import { mustNotHideKey } from './hidden-key.ts';
import { longCodeRule, mustSendWholeCodes } from './whole-codes.ts';

const CLIENT = {
  level: 'stated',
  kind: 'client',
  endpoint: 'consume',
  scenes: ['granted'],
} as const;

function sent(facts: Facts): SeenRequest[] {
  if (facts.sent.length > 0) return facts.sent;
  throw new NotShown('nothing was sent');
}

/** Cases on what client software sends. */
export const CLIENT_REQUEST_CASES: readonly DeviceCase[] = [
  {
    ...CLIENT,
    id: '4.6/client-sends-ticket',
    requirement: 'The program sends a request for a code that it is given.',
    cause:
      'The program does not read the code, or uses another address than the one that it was given.',
    judge(facts) {
      if (facts.posts('granted').length > 0) return;
      throw new SubjectDeviation('a request with the code', 'none arrived');
    },
  },
  {
    ...CLIENT,
    id: '4/client-path',
    requirement: 'Requests go with POST to /scan/validate or /scan/consume.',
    cause: 'A slash too many, a prefix that the base address already has, or GET.',
    judge(facts) {
      const wrong = sent(facts).find(
        (one) => one.method !== 'POST' || !/^\/scan\/(consume|validate)$/.test(pathOf(one)),
      );
      if (!wrong) return;
      const observed = `${wrong.method} ${pathOf(wrong)}`;
      throw new SubjectDeviation('POST /scan/consume', observed, wrong);
    },
  },
  {
    ...CLIENT,
    id: '5/client-key-header',
    requirement: 'Every request has the API key once, in the header x-api-key.',
    cause: 'The key is sent as Authorization: Bearer, in the URL, or not on every request.',
    judge(facts) {
      const wrong = sent(facts).find((one) => {
        const keys = headerValues(one, 'x-api-key');
        return keys.length !== 1 || keys[0] !== facts.record.key;
      });
      if (!wrong) return;
      const keys = headerValues(wrong, 'x-api-key');
      const observed = keys.length === 0 ? 'no such header' : keys.map((key) => show(key)).join();
      throw new SubjectDeviation('x-api-key: $KEY', observed, wrong);
    },
  },
  {
    ...CLIENT,
    id: '5/client-key-only-there',
    level: 'observed',
    requirement:
      'The API key is in that header only: no URL, other header or body has it, or a piece of it, plain or encoded.',
    cause: 'The program also sends the key in a place that proxies log.',
    judge: (facts) => mustNotHideKey(facts, 'header'),
  },
  {
    ...CLIENT,
    id: '4.1/client-content-type',
    requirement: 'Every request says Content-Type: application/json.',
    cause: 'The HTTP library sends text/plain or a form when a text is given as the body.',
    judge(facts) {
      const wrong = sent(facts).find(
        (one) => !/^application\/json\s*(;|$)/i.test(headerValues(one, 'content-type').join()),
      );
      if (!wrong) return;
      const observed = headerValues(wrong, 'content-type').join() || 'no content type';
      throw new SubjectDeviation('application/json', observed, wrong);
    },
  },
  {
    ...CLIENT,
    id: '4.1/client-body',
    requirement: 'The body is a JSON object with ticketCode, a text.',
    cause: 'The member has another name, or the code is the body itself.',
    judge(facts) {
      const wrong = sent(facts).find(({ body }) => {
        const fields = parsedJson(body);
        return !isRecord(fields) || typeof fields['ticketCode'] !== 'string';
      });
      if (wrong) throw new SubjectDeviation('{"ticketCode":"…"}', show(wrong.body), wrong);
    },
  },
  {
    ...CLIENT,
    id: '4.1/client-whole-code',
    requirement: 'ticketCode is the complete content of the QR code, unchanged.',
    cause: 'The program sends the ticket identifier alone, or changes letter case.',
    judge: (facts) => mustSendWholeCodes(facts, false),
  },
  {
    ...CLIENT,
    ...longCodeRule(false),
    id: '4.1/client-long-code',
    cause: 'A field of the program or its database has room for shorter codes only.',
  },
  {
    ...CLIENT,
    id: '1/client-http',
    level: 'observed',
    requirement: 'The query of a URL is empty: the interface has no parameters for software.',
    cause: 'The program was written for the endpoints of hardware.',
    judge(facts) {
      const wrong = sent(facts).find((one) => queryValues(one, 'key').length > 0);
      if (wrong) throw new SubjectDeviation('no query', 'a parameter key', wrong);
    },
  },
];
