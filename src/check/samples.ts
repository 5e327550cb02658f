import type { Needs } from './case.ts';
import type { Exchange } from './exchange.ts';
import { withOtherLastSignatureLetter } from './facts/tamper.ts';
import type { Scan } from './scan.ts';
import type { TicketKind } from './target.ts';

/** An answer that several cases judge, so that it is asked for once. */
export interface Sample extends Needs {
  readonly name: string;
  run(scan: Scan): Promise<Exchange>;
}

function validated(name: string, kind: TicketKind): Sample {
  return {
    name,
    keys: ['rest'],
    tickets: { [kind]: 1 },
    run: (scan) => scan.validate(scan.ticket(kind).code),
  };
}

function consumed(name: string, kind: TicketKind): Sample {
  return {
    name,
    keys: ['rest'],
    tickets: { [kind]: 1 },
    uses: { [kind]: 1 },
    run: (scan) => scan.consume(scan.ticket(kind).code),
  };
}

function shownToDevice(name: string, kind: TicketKind): Sample {
  return {
    name,
    keys: ['hardware'],
    tickets: { [kind]: 1 },
    run: (scan) => scan.hardware('validate', scan.ticket(kind).code),
  };
}

/** Every sample. */
export const SAMPLES: readonly Sample[] = [
  validated('single validated', 'single'),
  validated('multi validated', 'multi'),
  validated('permanent validated', 'permanent'),
  validated('personalised validated', 'personalised'),
  validated('windowed validated', 'windowed'),
  validated('exhausted validated', 'exhausted'),
  validated('cancelled validated', 'cancelled'),
  validated('not yet valid validated', 'notYetValid'),
  validated('expired validated', 'expired'),
  validated('unknown validated', 'unknown'),
  consumed('single consumed', 'single'),
  consumed('multi consumed', 'multi'),
  consumed('personalised consumed', 'personalised'),
  consumed('windowed consumed', 'windowed'),
  {
    name: 'forged validated',
    keys: ['rest'],
    tickets: { single: 1 },
    run: (scan) => scan.validate(withOtherLastSignatureLetter(scan.ticket('single').code)),
  },
  {
    name: 'out of scope validated',
    keys: ['restScoped'],
    tickets: { otherEvent: 1 },
    run: (scan) => scan.validate(scan.ticket('otherEvent').code, 'restScoped'),
  },
  {
    name: 'code missing',
    keys: ['rest'],
    run: (scan) => scan.send({ ...scan.restRequest('validate', ''), body: '{}' }),
  },
  {
    name: 'key missing',
    run: (scan) =>
      scan.send({
        path: '/scan/validate',
        headers: [['content-type', 'application/json']],
        body: '{"ticketCode":"A.tkt_none.B"}',
      }),
  },
  shownToDevice('single shown to a device', 'single'),
  shownToDevice('personalised shown to a device', 'personalised'),
  shownToDevice('permanent shown to a device', 'permanent'),
  shownToDevice('exhausted shown to a device', 'exhausted'),
  shownToDevice('cancelled shown to a device', 'cancelled'),
  shownToDevice('not yet valid shown to a device', 'notYetValid'),
  shownToDevice('expired shown to a device', 'expired'),
  shownToDevice('unknown shown to a device', 'unknown'),
  {
    name: 'forged shown to a device',
    keys: ['hardware'],
    tickets: { single: 1 },
    run: (scan) =>
      scan.hardware('validate', withOtherLastSignatureLetter(scan.ticket('single').code)),
  },
  {
    name: 'out of scope shown to a device',
    keys: ['hardwareScoped'],
    tickets: { otherEvent: 1 },
    run: (scan) => scan.hardware('validate', scan.ticket('otherEvent').code, 'hardwareScoped'),
  },
  {
    name: 'single opened by a device',
    keys: ['hardware'],
    tickets: { single: 1 },
    uses: { single: 1 },
    run: (scan) => scan.hardware('consume', scan.ticket('single').code),
  },
  {
    name: 'personalised opened by a device',
    keys: ['hardware'],
    tickets: { personalised: 1 },
    uses: { personalised: 1 },
    run: (scan) => scan.hardware('consume', scan.ticket('personalised').code),
  },
];

/** @throws Error when no sample has that name: a case asks for what does not exist */
export function sampleNamed(name: string): Sample {
  const sample = SAMPLES.find((one) => one.name === name);
  if (!sample) throw new Error(`no sample is called "${name}"`);
  return sample;
}
