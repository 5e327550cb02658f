import { expect, test } from 'vitest';
import { type LoggedScan, problemsOf } from '../../prove/webhooks/judge.ts';

const LOG: LoggedScan[] = ['consumed', 'exhausted', 'consumed'].map((outcome, index) => ({
  sequence: index + 1,
  keyId: 'key_1',
  operation: 'consume',
  outcome,
  replayed: false,
  ticketId: 'tkt_1',
}));
const VALIDATE = { ...(LOG[0] as LoggedScan), sequence: 4, operation: 'validate' };

const told = (sequence: number, type = 'scan.granted', accepted = true) => ({
  id: `msg_wh_scan_${sequence}`,
  text: JSON.stringify({ type, data: { sequence, ticketId: 'tkt_1' } }),
  accepted,
});
const [first, second, third] = [told(1), told(2, 'scan.denied'), told(3)];

test.each([
  ['all arrived', [first, second, third], []],
  ['some came again', [first, second, first, second, third], []],
  ['refused at first', [told(1, 'scan.granted', false), first, second, third], []],
  ['one is lost', [first, third], ['scan 2 never arrived']],
  ['one was always refused', [first, second, told(3, 'scan.granted', false)], ['scan 3 never']],
  ['out of order', [second, first, third], ['scan 1 arrived after a later one']],
  ['invented', [first, second, third, told(9)], ['not in the log']],
  ['a validate is told', [first, second, third, told(4)], ['not in the log']],
  ['a denial is told as a grant', [first, told(2), third], ['does not tell what the log has']],
  ['another body', [first, { ...first, text: '{}' }, second, third], ['two bodies']],
])('%s', (_, arrivals, expected) => {
  const problems = problemsOf({ arrivals, badSignatures: [] }, [...LOG, VALIDATE]);

  expect(problems).toEqual(expected.map((text) => expect.stringContaining(text)));
});

test('a wrong signature is a problem', () => {
  const arrivals = [first, second, third];

  expect(problemsOf({ arrivals, badSignatures: ['x'] }, LOG)).toEqual(['x']);
});
