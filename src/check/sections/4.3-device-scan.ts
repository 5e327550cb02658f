import type { CheckCase } from '../cases/case.ts';
import { judging } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { countIn, expectFields } from '../judging/expect.ts';
import { type DeviceEndpoint, isConsume } from '../requests/endpoint.ts';
import type { Exchange } from '../requests/exchange.ts';
import { GOOD, GOOD_TOO, type GoodKind, REFUSED, type RefusedKind } from '../samples/samples.ts';

const DENIED = { AcsRes: '0', ActIndex: '0', Time: '0' } as const;
const dashed = (kind: string) => kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Sections 4.3 and 4.4: the two scan endpoints for devices. */
export const DEVICE_SCAN_CASES: readonly CheckCase[] = [
  {
    id: '4.3/consumes',
    endpoint: 'hw/consume',
    keys: ['rest', 'hardware'],
    tickets: { multi: 1 },
    uses: { multi: 1 },
    requirement:
      'The service takes the code from the device body, validates it and consumes one use.',
    cause: 'The door opens and no use is counted.',
    async run(scan) {
      const { code } = scan.ticket('multi');
      const before = countIn(await scan.validate(code), 'usesConsumed');
      expectFields(await scan.ask('hw/consume', code), { AcsRes: '1' });
      expectFields(await scan.validate(code), { usesConsumed: before + 1 });
    },
  },
  {
    id: '4.3/granted',
    requirement: 'Granted: AcsRes "1", with ActIndex, Time, Name and Note, all strings.',
    cause: 'The consume answer lacks what the validate answer has.',
    cells: judging(GOOD, ['hw/consume'], expectOpened),
  },
  ...[...GOOD, ...GOOD_TOO].map((kind) => grantedCase('4.3', 'hw/consume', kind)),
  ...REFUSED.map((kind) => deniedCase('4.3', 'hw/consume', kind)),
  ...[...GOOD, ...GOOD_TOO].map((kind) => grantedCase('4.4', 'hw/validate', kind)),
  {
    id: '4.4/registers-no-use',
    endpoint: 'hw/validate',
    keys: ['rest', 'hardware'],
    tickets: { single: 1 },
    requirement: '/scan/hw/validate answers like /scan/hw/consume without registering a use.',
    cause: 'Both device endpoints consume.',
    async run(scan) {
      const { code } = scan.ticket('single');
      expectFields(await scan.ask('hw/validate', code), { AcsRes: '1' });
      expectFields(await scan.ask('hw/validate', code), { AcsRes: '1' });
      expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
    },
  },
  ...REFUSED.map((kind) => deniedCase('4.4', 'hw/validate', kind)),
];

/** A grant with everything that opens a door. @throws Deviation when it is none */
export function expectOpened(exchange: Exchange, scan: Scan): void {
  const answer = expectFields(exchange, { AcsRes: '1' });
  for (const name of ['ActIndex', 'Time', 'Name', 'Note']) {
    if (typeof answer[name] !== 'string')
      scan.fail(`${name}: string`, `${name}: ${JSON.stringify(answer[name]) ?? 'missing'}`);
  }
  if (Number(answer['Time']) <= 0) scan.fail('Time: more than 0', `Time: ${answer['Time']}`);
}

function grantedCase(section: string, endpoint: DeviceEndpoint, kind: GoodKind): CheckCase {
  return {
    id: `${section}/${dashed(kind)}-granted`,
    requirement: `A good ticket (${kind}) opens on /scan/${endpoint}.`,
    cause: 'A good ticket of this kind is refused at devices.',
    cells: judging([kind], [endpoint], (exchange) => {
      expectFields(exchange, { AcsRes: '1' });
    }),
  };
}

function deniedCase(section: string, endpoint: DeviceEndpoint, kind: RefusedKind): CheckCase {
  return {
    id: `${section}/${dashed(kind)}-denied`,
    requirement: `A ticket that is refused (${kind}) gets AcsRes "0", ActIndex "0", Time "0" and a Note${isConsume(endpoint) ? ' on consume' : ''}.`,
    cause: 'This state is not looked at on the device endpoint, or answered in the REST format.',
    cells: judging([kind], [endpoint], (exchange, scan) => {
      const { Note } = expectFields(exchange, DENIED);
      if (typeof Note !== 'string' || Note === '') scan.fail('Note: text', 'Note: missing');
    }),
  };
}
