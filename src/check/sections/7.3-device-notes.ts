import type { CheckCase } from '../cases/case.ts';
import { judging } from '../cases/matrix.ts';
import { DENIAL_NOTES, grantNote, usesInNote } from '../facts/device-answer.ts';
import { isRecord } from '../facts/json.ts';
import { countIn, expectFields, objectOf } from '../judging/expect.ts';
import { DEVICE, isConsume } from '../requests/endpoint.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import { GOOD } from '../samples/samples.ts';

const DENIALS = [
  ['exhausted', 'exhausted', DENIAL_NOTES.exhausted],
  ['expired', 'expired', DENIAL_NOTES.expired],
  ['invalid-signature', 'forged', DENIAL_NOTES.forged],
  ['not-found', 'unknown', DENIAL_NOTES.unknown],
  ['not-yet-valid', 'notYetValid', DENIAL_NOTES.notYetValid],
  ['out-of-scope', 'outOfScope', DENIAL_NOTES.outOfScope],
] as const;
const DENIED = DENIALS.map(([, situation]) => situation);

/** Section 7.3: what the display shows in each situation. */
export const NOTE_CASES: readonly CheckCase[] = [
  ...DEVICE.flatMap((endpoint) =>
    DENIALS.map(
      ([name, situation, Note]): CheckCase => ({
        id: `7.3/note-${name}${isConsume(endpoint) ? '-on-consume' : ''}`,
        requirement: `The situation "${name.replaceAll('-', ' ')}" shows AcsRes "0" and the Note \`${Note}\`${isConsume(endpoint) ? ' on consume as well' : ''}.`,
        cause: 'The text differs, lost its umlaut, or belongs to another situation.',
        cells: judging([situation], [endpoint], (exchange) => {
          expectFields(exchange, { AcsRes: '0', Note });
        }),
      }),
    ),
  ),
  {
    id: '7.3/note-granted-on-validate',
    requirement:
      'A valid ticket shows `Ticket gültig (<used>/<allowed>)`: (0/1) for an unused single ticket.',
    cause: 'The numbers are swapped, or those after a use that was not made.',
    cells: judging(
      ['single', 'personalised', 'windowed'],
      ['hw/validate'],
      (exchange, _, place) => {
        expectFields(exchange, { AcsRes: '1', Note: grantNote(0, allowedIn(exchange, place)) });
      },
    ),
  },
  {
    id: '7.3/note-granted-on-consume',
    requirement: 'A consumed single ticket shows `Ticket gültig (1/1)`.',
    cause: 'The number of uses is that of before the scan.',
    cells: judging(['single', 'personalised', 'windowed'], ['hw/consume'], (exchange, _, place) => {
      expectFields(exchange, { AcsRes: '1', Note: grantNote(1, allowedIn(exchange, place)) });
    }),
  },
  {
    id: '7.3/note-of-a-good-ticket',
    requirement: 'Every ticket that is let in shows `Ticket gültig (<used>/<allowed>)`.',
    cause: 'Cards have a text of their own.',
    cells: judging(GOOD, DEVICE, (exchange, scan) => {
      const { Note } = objectOf(exchange);
      if (!usesInNote(Note))
        scan.fail('Note: Ticket gültig (<used>/<allowed>)', `Note: ${JSON.stringify(Note)}`);
    }),
  },
  {
    id: '7.3/note-counts-along',
    endpoint: 'hw/consume',
    keys: ['rest', 'hardware'],
    tickets: { multi: 1 },
    uses: { multi: 2 },
    requirement: 'The Note of a multi-use card shows the uses that REST shows.',
    cause: 'The uses remaining are shown instead of the uses made.',
    async run(scan) {
      const { code } = scan.ticket('multi');
      const before = await scan.validate(code);
      const [used, allowed] = [countIn(before, 'usesConsumed'), countIn(before, 'usesAllowed')];
      for (const more of [1, 2]) {
        const device = await scan.ask('hw/consume', code);
        expectFields(device, { AcsRes: '1', Note: grantNote(used + more, allowed) });
      }
      expectFields(await scan.validate(code), { usesConsumed: used + 2 });
    },
  },
  {
    id: '7.3/note-of-a-permanent-card',
    requirement: 'A permanent card shows its uses of 9999 within 32 bytes.',
    cause: 'The text is cut, or the number is written with a separator.',
    cells: judging(['permanent'], DEVICE, (exchange, scan) => {
      const { Note } = objectOf(exchange);
      if (!/^Ticket gültig \(\d+\/9999\)$/.test(String(Note)))
        scan.fail('Note: Ticket gültig (<used>/9999)', `Note: ${JSON.stringify(Note)}`);
    }),
  },
  {
    id: '7.3/refused-key-device-format',
    level: 'observed',
    requirement: 'A device whose key is refused gets a denial in the device format.',
    cause: 'The key is looked at in front of the device endpoints, and refused as to software.',
    cells: judging(['noKey'], DEVICE, (exchange, scan) => {
      if (!isDeviceFormat(exchange))
        scan.fail('AcsRes, ActIndex, Time, Note', describeAnswer(exchange.answer), exchange);
    }),
  },
  {
    id: '7.3/note-cancelled',
    level: 'unstated',
    requirement: 'What the display shows for a cancelled ticket.',
    cause: 'The table has no text for it.',
    cells: judging(['cancelled'], DEVICE, ({ answer }) => describeAnswer(answer)),
  },
  {
    id: '7.3/statuses-of-denials',
    level: 'unstated',
    requirement: 'The HTTP statuses of denials at devices.',
    cause: 'HTTP status codes of hardware endpoint errors are not shown.',
    cells: judging(DENIED, DEVICE, ({ answer }) => `HTTP ${answer.status}`),
  },
];

function isDeviceFormat({ answer }: Exchange): boolean {
  const { json } = answer;
  return isRecord(json) && ['AcsRes', 'ActIndex', 'Time', 'Note'].every((name) => name in json);
}

/** 1 for a single ticket; tickets with a holder or a window may be cards, whose uses the REST answers show. */
function allowedIn(exchange: Exchange, { situation }: { readonly situation: string }): number {
  const allowed = usesInNote(objectOf(exchange)['Note'])?.allowed ?? 1;
  return situation === 'single' ? 1 : allowed;
}
