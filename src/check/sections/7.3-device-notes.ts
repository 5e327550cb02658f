import type { CheckCase } from '../cases/case.ts';
import { allowedUsesOf } from '../deployment/target.ts';
import { DENIAL_NOTES, grantNote, usesInNote } from '../facts/device-answer.ts';
import { DEVICE, describeAnswer, isConsume } from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import { expectDenied, expectFields, objectOf } from '../judging/expect.ts';
import { judging } from '../samples/matrix.ts';
import { GOOD, outcomeOf } from '../samples/samples.ts';

const DENIED = Object.keys(DENIAL_NOTES) as (keyof typeof DENIAL_NOTES)[];
/** Tickets with a holder or a window may be cards, whose uses the REST answers show. */
const UNUSED: readonly string[] = ['single', 'personalised', 'windowed'];

/** Section 7.3: what the display shows in each situation. */
export const NOTE_CASES: readonly CheckCase[] = [
  {
    id: '7.3/note',
    states: ['the Note of a denial'],
    requirement: 'A denial shows the Note of its situation.',
    cells: judging(DENIED, DEVICE, (exchange, _, { situation, endpoint }) =>
      expectDenied(exchange, outcomeOf(situation, endpoint)),
    ),
  },
  {
    id: '7.3/note-of-a-grant',
    states: ['the Note of a grant'],
    requirement:
      'A ticket that is let in shows `Ticket gültig (<used>/<allowed>)`: (0/1) for an unused single ticket, (1/1) when it is consumed, of 9999 for a permanent card.',
    cells: judging(GOOD, DEVICE, (exchange, scan, { situation, endpoint }) => {
      const { Note } = objectOf(exchange);
      const shown = usesInNote(Note);
      if (!shown)
        return scan.fail(
          'Note: Ticket gültig (<used>/<allowed>)',
          `Note: ${JSON.stringify(Note)}`,
          exchange,
          ['Note'],
        );
      const fresh = isConsume(endpoint) ? 1 : 0;
      const used = UNUSED.includes(situation) ? fresh : shown.used;
      expectFields(exchange, {
        Note: grantNote(used, allowedUsesOf({}, situation) ?? shown.allowed),
      });
      return undefined;
    }),
  },
  {
    id: '7.3/refused-key-device-format',
    level: 'observed',
    requirement: 'A device whose key is refused gets a denial in the device format.',
    cells: judging(['noKey'], DEVICE, ({ answer }, scan) => {
      const { json } = answer;
      const names = ['AcsRes', 'ActIndex', 'Time', 'Note'];
      if (!isRecord(json) || !names.every((name) => name in json))
        scan.fail(names.join(', '), describeAnswer(answer));
    }),
  },
  {
    id: '7.3/statuses-of-denials',
    level: 'unstated',
    requirement: 'The HTTP statuses of denials at devices.',
    cells: judging(DENIED, DEVICE, ({ answer }) => `HTTP ${answer.status}`),
  },
];
