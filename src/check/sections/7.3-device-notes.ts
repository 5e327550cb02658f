import type { CheckCase } from '../case.ts';
import { describeAnswer, type Exchange } from '../exchange.ts';
import { countIn, expectFields, objectOf } from '../expect.ts';
import { DENIAL_NOTES, grantNote } from '../facts/device-answer.ts';
import { isRecord } from '../facts/json.ts';

const DENIALS = [
  ['exhausted', 'exhausted shown to a device', DENIAL_NOTES.exhausted],
  ['expired', 'expired shown to a device', DENIAL_NOTES.expired],
  ['invalid-signature', 'forged shown to a device', DENIAL_NOTES.forged],
  ['not-found', 'unknown shown to a device', DENIAL_NOTES.unknown],
  ['not-yet-valid', 'not yet valid shown to a device', DENIAL_NOTES.notYetValid],
  ['out-of-scope', 'out of scope shown to a device', DENIAL_NOTES.outOfScope],
] as const;

/** The same notes on consume, for tickets that no one else uses. */
const CONSUMED_DENIALS = [
  ['exhausted', 'exhausted', DENIAL_NOTES.exhausted],
  ['expired', 'expired', DENIAL_NOTES.expired],
  ['not-found', 'unknown', DENIAL_NOTES.unknown],
  ['not-yet-valid', 'notYetValid', DENIAL_NOTES.notYetValid],
] as const;

/** Section 7.3: what the display shows in each situation. */
export const NOTE_CASES: readonly CheckCase[] = [
  ...DENIALS.map(
    ([name, sample, Note]): CheckCase => ({
      id: `7.3/note-${name}`,
      level: 'stated',
      samples: [sample],
      requirement: `The situation "${name.replaceAll('-', ' ')}" shows AcsRes "0" and the Note \`${Note}\`.`,
      cause: 'The text differs, lost its umlaut, or belongs to another situation.',
      async run(scan) {
        expectFields(await scan.sample(sample), { AcsRes: '0', Note });
      },
    }),
  ),
  ...CONSUMED_DENIALS.map(
    ([name, kind, Note]): CheckCase => ({
      id: `7.3/note-${name}-on-consume`,
      level: 'stated',
      keys: ['hardware'],
      tickets: { [kind]: 1 },
      uses: {},
      requirement: `The situation "${name.replaceAll('-', ' ')}" shows the Note \`${Note}\` on consume as well.`,
      cause: 'The two device endpoints have texts of their own.',
      async run(scan) {
        const exchange = await scan.hardware('consume', scan.ticket(kind).code);
        expectFields(exchange, { AcsRes: '0', Note });
      },
    }),
  ),
  {
    id: '7.3/note-granted-on-validate',
    level: 'stated',
    samples: ['single shown to a device'],
    requirement:
      'A valid ticket shows `Ticket gültig (<used>/<allowed>)`: (0/1) for an unused single ticket.',
    cause: 'The numbers are swapped, or those after a use that was not made.',
    async run(scan) {
      const exchange = await scan.sample('single shown to a device');
      expectFields(exchange, { AcsRes: '1', Note: grantNote(0, 1) });
    },
  },
  {
    id: '7.3/note-granted-on-consume',
    level: 'stated',
    samples: ['single opened by a device'],
    requirement: 'A consumed single ticket shows `Ticket gültig (1/1)`.',
    cause: 'The number of uses is that of before the scan.',
    async run(scan) {
      const exchange = await scan.sample('single opened by a device');
      expectFields(exchange, { AcsRes: '1', Note: grantNote(1, 1) });
    },
  },
  {
    id: '7.3/note-counts-along',
    level: 'stated',
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
        const device = await scan.hardware('consume', code);
        expectFields(device, { AcsRes: '1', Note: grantNote(used + more, allowed) });
      }
      expectFields(await scan.validate(code), { usesConsumed: used + 2 });
    },
  },
  {
    id: '7.3/note-of-a-permanent-card',
    level: 'stated',
    samples: ['permanent shown to a device'],
    requirement: 'A permanent card shows its uses of 9999 within 32 bytes.',
    cause: 'The text is cut, or the number is written with a separator.',
    async run(scan) {
      const { Note } = objectOf(await scan.sample('permanent shown to a device'));
      if (!/^Ticket gültig \(\d+\/9999\)$/.test(String(Note)))
        scan.fail('Note: Ticket gültig (<used>/9999)', `Note: ${JSON.stringify(Note)}`);
    },
  },
  {
    id: '7.3/errors-in-device-format',
    level: 'stated',
    phase: 'review',
    samples: DENIALS.map(([, sample]) => sample),
    requirement: 'Errors are returned in the device format.',
    cause: 'Errors of device endpoints fall through to the REST error bodies.',
    async run(scan) {
      for (const [, sample] of DENIALS) {
        const exchange = await scan.sample(sample);
        if (!isDeviceFormat(exchange))
          scan.fail('AcsRes, ActIndex, Time, Note', describeAnswer(exchange.answer), exchange);
      }
    },
  },
  {
    id: '7.3/note-cancelled',
    level: 'unstated',
    samples: ['cancelled shown to a device'],
    requirement: 'What the display shows for a cancelled ticket.',
    cause: 'The table has no text for it.',
    async run(scan) {
      return describeAnswer((await scan.sample('cancelled shown to a device')).answer);
    },
  },
  {
    id: '7.3/statuses-of-denials',
    level: 'unstated',
    samples: DENIALS.map(([, sample]) => sample),
    requirement: 'The HTTP statuses of denials at devices.',
    cause: 'HTTP status codes of hardware endpoint errors are not shown.',
    async run(scan) {
      const seen: string[] = [];
      for (const [name, sample] of DENIALS) {
        seen.push(`${name}: ${(await scan.sample(sample)).answer.status}`);
      }
      return seen.join(', ');
    },
  },
];

function isDeviceFormat({ answer }: Exchange): boolean {
  const { json } = answer;
  return isRecord(json) && ['AcsRes', 'ActIndex', 'Time', 'Note'].every((name) => name in json);
}
