import type { CheckCase } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import { grantNote, usesInNote } from '../facts/device-answer.ts';
import { countIn, expectEqual, expectFields } from '../judging/expect.ts';
import { CONSUMES, type ConsumeEndpoint } from '../requests/endpoint.ts';
import { keyFor, scopedKeyFor } from '../samples/samples.ts';

/** Section 3.2: the use counter over sequences of scans. */
export const COUNTER_CASES: readonly CheckCase[] = [
  {
    id: '3.2/validate-changes-nothing',
    endpoint: 'validate',
    keys: ['rest'],
    tickets: { multi: 1 },
    requirement: 'Validating changes nothing: the counters stay, however often it is done.',
    cause: 'Validate and consume share code that registers the use.',
    async run(scan) {
      const { code } = scan.ticket('multi');
      const before = countIn(await scan.validate(code), 'usesConsumed');
      await scan.validate(code);
      expectEqual(countIn(await scan.validate(code), 'usesConsumed'), before, 'usesConsumed');
    },
  },
  {
    id: '3.2/device-validate-changes-nothing',
    endpoint: 'hw/validate',
    keys: ['rest', 'hardware'],
    tickets: { multi: 1 },
    requirement: 'Validating on a device endpoint changes nothing.',
    cause: 'The device endpoints both consume.',
    async run(scan) {
      const { code } = scan.ticket('multi');
      const before = countIn(await scan.validate(code), 'usesConsumed');
      await scan.ask('hw/validate', code);
      await scan.ask('hw/validate', code);
      expectEqual(countIn(await scan.validate(code), 'usesConsumed'), before, 'usesConsumed');
    },
  },
  {
    id: '3.2/consume-counts-one-by-one',
    endpoint: 'consume',
    keys: ['rest'],
    tickets: { multi: 1 },
    uses: { multi: 3 },
    requirement: 'Each consume raises usesConsumed by 1 and lowers usesRemaining by 1.',
    cause: 'A use is counted twice, not at all, or written over by another scan.',
    async run(scan) {
      const { code } = scan.ticket('multi');
      const before = await scan.validate(code);
      const [consumed, remaining] = [
        countIn(before, 'usesConsumed'),
        countIn(before, 'usesRemaining'),
      ];
      for (let used = 1; used <= 3; used += 1) {
        expectFields(await scan.consume(code), {
          status: 'consumed',
          usesConsumed: consumed + used,
          usesRemaining: remaining - used,
        });
      }
      expectFields(await scan.validate(code), {
        usesConsumed: consumed + 3,
        usesRemaining: remaining - 3,
      });
    },
  },
  {
    id: '3.2/device-consume-counts-one',
    endpoint: 'hw/consume',
    keys: ['rest', 'hardware'],
    tickets: { multi: 1 },
    uses: { multi: 2 },
    requirement: 'A consume on a device endpoint counts as one on REST does.',
    cause: 'The device endpoints keep a counter of their own.',
    async run(scan) {
      const { code } = scan.ticket('multi');
      const before = countIn(await scan.validate(code), 'usesConsumed');
      expectFields(await scan.ask('hw/consume', code), { AcsRes: '1' });
      expectFields(await scan.validate(code), { usesConsumed: before + 1 });
      expectFields(await scan.consume(code), { status: 'consumed', usesConsumed: before + 2 });
    },
  },
  {
    id: '3.2/single-only-once',
    endpoint: 'consume',
    keys: ['rest'],
    tickets: { single: 1 },
    uses: { single: 1 },
    requirement: 'A single ticket is consumed once; then consume and validate say `exhausted`.',
    cause: 'The limit is compared with > instead of >=.',
    async run(scan) {
      const { code } = scan.ticket('single');
      expectFields(await scan.consume(code), { status: 'consumed' });
      const exhausted = { valid: false, status: 'exhausted', usesConsumed: 1, usesRemaining: 0 };
      expectFields(await scan.consume(code), exhausted);
      expectFields(await scan.validate(code), exhausted);
    },
  },
  {
    id: '3.2/permanent-counts-too',
    requirement: 'Consuming a permanent card counts its uses as well.',
    cause: 'Permanent cards are let through without counting.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: ['rest', keyFor(endpoint)],
      tickets: { permanent: 1 },
      uses: { permanent: 2 },
      async run(scan) {
        const { code } = scan.ticket('permanent');
        const before = countIn(await scan.validate(code), 'usesConsumed');
        for (const used of [1, 2])
          expectFields(
            await scan.ask(endpoint, code),
            granted(endpoint, before + used, 9999 - before - used),
          );
        expectFields(await scan.validate(code), { usesConsumed: before + 2 });
      },
    })),
  },
  {
    id: '3.2/device-consume-shows-on-rest',
    keys: ['rest', 'hardware'],
    tickets: { single: 1 },
    uses: { single: 1 },
    requirement: 'A ticket that a device consumed is exhausted on REST.',
    cause: 'Devices and software do not share the counter.',
    async run(scan) {
      const { code } = scan.ticket('single');
      expectFields(await scan.ask('hw/consume', code), { AcsRes: '1' });
      expectFields(await scan.consume(code), { valid: false, status: 'exhausted' });
    },
  },
  {
    id: '3.2/rest-consume-shows-on-devices',
    keys: ['rest', 'hardware'],
    tickets: { single: 1 },
    uses: { single: 1 },
    requirement: 'A ticket that was consumed on REST opens no door.',
    cause: 'Devices and software do not share the counter.',
    async run(scan) {
      const { code } = scan.ticket('single');
      expectFields(await scan.consume(code), { status: 'consumed' });
      expectFields(await scan.ask('hw/consume', code), { AcsRes: '0' });
      expectFields(await scan.ask('hw/validate', code), { AcsRes: '0' });
    },
  },
  {
    id: '3.2/device-single-only-once',
    endpoint: 'hw/consume',
    keys: ['hardware'],
    tickets: { single: 1 },
    uses: { single: 1 },
    requirement: 'A door opens once for a single ticket.',
    cause: 'The device endpoints answer without looking at the counter.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const first = expectFields(await scan.ask('hw/consume', code), { AcsRes: '1' });
      expectEqual(usesInNote(first['Note']), { used: 1, allowed: 1 }, 'uses in Note');
      expectFields(await scan.ask('hw/consume', code), { AcsRes: '0' });
    },
  },
  {
    id: '3.2/tickets-count-apart',
    requirement: "Consuming one ticket does not change another one's counter.",
    cause: 'The counter belongs to the event, the order or the type.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: ['rest', keyFor(endpoint)],
      tickets: { single: 2 },
      uses: { single: 1 },
      async run(scan) {
        expectFields(await scan.ask(endpoint, scan.ticket('single').code), granted(endpoint, 1, 0));
        const other = await scan.validate(scan.ticket('single', 1).code);
        expectFields(other, { status: 'validated', usesConsumed: 0 });
      },
    })),
  },
  {
    id: '3.2/keys-share-the-counter',
    requirement:
      'The counter belongs to the ticket: what one key consumed is used up for every key.',
    cause: 'Uses are counted by key.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: [keyFor(endpoint), scopedKeyFor(endpoint)],
      tickets: { single: 1 },
      uses: { single: 1 },
      async run(scan) {
        const { code } = scan.ticket('single');
        expectFields(await scan.ask(endpoint, code), granted(endpoint, 1, 0));
        expectFields(
          await scan.ask(endpoint, code, scopedKeyFor(endpoint)),
          endpoint === 'consume' ? { status: 'exhausted' } : { AcsRes: '0' },
        );
      },
    })),
  },
  {
    id: '3.2/uses-on-one-connection',
    requirement: 'Uses count alike, whether they come over one connection or over several.',
    cause: 'The ticket, or the last answer, is kept for a connection.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: ['rest', keyFor(endpoint)],
      tickets: { multi: 1 },
      uses: { multi: 3 },
      async run(scan) {
        const { code } = scan.ticket('multi');
        const before = await scan.validate(code);
        const [used, left] = [countIn(before, 'usesConsumed'), countIn(before, 'usesRemaining')];
        const use = scan.request(endpoint, code);
        await scan.onOneConnection(async (send) => {
          expectFields(await send(use), granted(endpoint, used + 1, left - 1));
          expectFields(await scan.send(use), granted(endpoint, used + 2, left - 2));
          expectFields(await send(use), granted(endpoint, used + 3, left - 3));
        });
        expectFields(await scan.validate(code), { usesConsumed: used + 3 });
      },
    })),
  },
  {
    id: '3.2/exhausted-stays-exhausted',
    keys: ['rest', 'hardware'],
    tickets: { exhausted: 1 },
    uses: {},
    requirement: 'Consuming an exhausted ticket changes nothing.',
    cause: 'A refused scan is counted as well.',
    async run(scan) {
      const { code } = scan.ticket('exhausted');
      const before = countIn(await scan.validate(code), 'usesConsumed');
      expectFields(await scan.consume(code), { status: 'exhausted', usesConsumed: before });
      expectFields(await scan.ask('hw/consume', code), { AcsRes: '0' });
      expectFields(await scan.validate(code), { usesConsumed: before, usesRemaining: 0 });
    },
  },
];

/** What a consume endpoint answers to a use. @param used uses taken, this one included @param left uses that remain */
function granted(endpoint: ConsumeEndpoint, used: number, left: number): Record<string, unknown> {
  return endpoint === 'consume'
    ? { status: 'consumed', usesConsumed: used, usesRemaining: left }
    : { AcsRes: '1', Note: grantNote(used, used + left) };
}
