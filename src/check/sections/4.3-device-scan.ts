import type { CheckCase } from '../case.ts';
import { countIn, expectFields } from '../expect.ts';
import type { TicketKind } from '../target.ts';

const GOOD = ['single', 'multi', 'permanent', 'personalised', 'windowed'] as const;
const REFUSED: readonly TicketKind[] = [
  'exhausted',
  'expired',
  'cancelled',
  'notYetValid',
  'unknown',
];
const DENIED = { AcsRes: '0', ActIndex: '0', Time: '0' } as const;

/** Sections 4.3 and 4.4: the two scan endpoints for devices. */
export const DEVICE_SCAN_CASES: readonly CheckCase[] = [
  {
    id: '4.3/consumes',
    level: 'stated',
    keys: ['rest', 'hardware'],
    tickets: { multi: 1 },
    uses: { multi: 1 },
    requirement:
      'The service takes the code from the device body, validates it and consumes one use.',
    cause: 'The door opens and no use is counted.',
    async run(scan) {
      const { code } = scan.ticket('multi');
      const before = countIn(await scan.validate(code), 'usesConsumed');
      expectFields(await scan.hardware('consume', code), { AcsRes: '1' });
      expectFields(await scan.validate(code), { usesConsumed: before + 1 });
    },
  },
  {
    id: '4.3/granted',
    level: 'stated',
    samples: ['single opened by a device'],
    requirement: 'Granted: AcsRes "1", with ActIndex, Time, Name and Note, all strings.',
    cause: 'The consume answer lacks what the validate answer has.',
    async run(scan) {
      const answer = expectFields(await scan.sample('single opened by a device'), { AcsRes: '1' });
      for (const name of ['ActIndex', 'Time', 'Name', 'Note']) {
        if (typeof answer[name] !== 'string')
          scan.fail(`${name}: string`, `${name}: ${JSON.stringify(answer[name]) ?? 'missing'}`);
      }
      if (Number(answer['Time']) <= 0) scan.fail('Time: more than 0', `Time: ${answer['Time']}`);
    },
  },
  ...REFUSED.map((kind) => deniedCase('4.3', 'consume', kind)),
  ...GOOD.map(
    (kind): CheckCase => ({
      id: `4.4/${kind}-granted`,
      level: 'stated',
      keys: ['hardware'],
      tickets: { [kind]: 1 },
      requirement: `A good ticket (${kind}) opens on /scan/hw/validate.`,
      cause: 'A good ticket of this kind is refused at devices.',
      async run(scan) {
        const answer = await scan.hardware('validate', scan.ticket(kind).code);
        expectFields(answer, { AcsRes: '1' });
      },
    }),
  ),
  {
    id: '4.4/registers-no-use',
    level: 'stated',
    keys: ['rest', 'hardware'],
    tickets: { single: 1 },
    requirement: '/scan/hw/validate answers like /scan/hw/consume without registering a use.',
    cause: 'Both device endpoints consume.',
    async run(scan) {
      const { code } = scan.ticket('single');
      expectFields(await scan.hardware('validate', code), { AcsRes: '1' });
      expectFields(await scan.hardware('validate', code), { AcsRes: '1' });
      expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
    },
  },
  ...REFUSED.map((kind) => deniedCase('4.4', 'validate', kind)),
];

function deniedCase(section: string, action: 'validate' | 'consume', kind: TicketKind): CheckCase {
  return {
    id: `${section}/${kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-denied`,
    level: 'stated',
    keys: ['hardware'],
    tickets: { [kind]: 1 },
    ...(action === 'consume' ? { uses: {} } : {}),
    requirement: `A ticket that is refused (${kind}) gets AcsRes "0", ActIndex "0", Time "0" and a Note.`,
    cause: 'This state is not looked at on the device endpoint, or answered in the REST format.',
    async run(scan) {
      const exchange = await scan.hardware(action, scan.ticket(kind).code);
      const { Note } = expectFields(exchange, DENIED);
      if (typeof Note !== 'string' || Note === '') scan.fail('Note: text', 'Note: missing');
    },
  };
}
