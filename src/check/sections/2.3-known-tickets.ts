import type { CheckCase } from '../case.ts';
import { expectEqual, expectFields, expectTypedFields, objectOf } from '../expect.ts';
import { show } from '../facts/json.ts';
import { isNear, readTimestamp } from '../facts/timestamp.ts';
import type { TicketKind } from '../target.ts';

/** Section 2.3: results against what the target file says about its tickets. */
export const KNOWN_TICKET_CASES: readonly CheckCase[] = [
  {
    id: '2.3/holder-names',
    level: 'stated',
    keys: ['rest'],
    tickets: { personalised: 1 },
    requirement: "holder.firstName and holder.lastName are the holder's names.",
    cause: 'Names are swapped, cut or lose their accents.',
    async run(scan) {
      const { code, holder } = scan.ticket('personalised');
      const exchange = await scan.validate(code);
      const seen = expectTypedFields(exchange, ['holder'])['holder'] as Record<string, unknown>;
      if (!holder) return `holder ${show(seen)} (the target does not say who it is)`;
      for (const name of ['firstName', 'lastName'] as const) {
        if (holder[name] !== undefined) expectEqual(seen[name], holder[name], `holder.${name}`);
      }
      return undefined;
    },
  },
  {
    id: '2.3/uses-allowed-as-sold',
    level: 'stated',
    keys: ['rest'],
    tickets: { multi: 1 },
    requirement: 'usesAllowed is the maximum number of uses of that ticket.',
    cause: 'usesAllowed is a default, or the rest of the uses.',
    async run(scan) {
      const { code, usesAllowed } = scan.ticket('multi');
      const exchange = await scan.validate(code);
      if (usesAllowed === undefined)
        return `${show(objectOf(exchange)['usesAllowed'])} (the target does not say)`;
      expectFields(exchange, { usesAllowed });
      return undefined;
    },
  },
  {
    id: '2.3/uses-allowed-stays',
    level: 'stated',
    keys: ['rest'],
    tickets: { multi: 1 },
    uses: { multi: 1 },
    requirement: 'usesAllowed is the maximum, not the rest: a use does not change it.',
    cause: 'The remaining uses are shown as allowed.',
    async run(scan) {
      const { code } = scan.ticket('multi');
      const { usesAllowed } = objectOf(await scan.validate(code));
      expectFields(await scan.consume(code), { status: 'consumed', usesAllowed });
      expectFields(await scan.validate(code), { usesAllowed });
    },
  },
  {
    id: '2.3/ticket-id-as-issued',
    level: 'stated',
    keys: ['rest'],
    tickets: { single: 1 },
    requirement: 'ticketId is the identifier of that ticket, and stays the same.',
    cause: 'ticketId is a row number, or made anew for each answer.',
    async run(scan) {
      const { code, ticketId } = scan.ticket('single');
      const first = await scan.validate(code);
      const seen = expectTypedFields(first, ['ticketId'])['ticketId'];
      expectFields(await scan.validate(code), { ticketId: ticketId ?? seen });
    },
  },
  {
    id: '2.3/window-as-sold',
    level: 'stated',
    keys: ['rest'],
    tickets: { windowed: 1 },
    requirement: 'validFrom and validUntil are the moments that the ticket was sold with.',
    cause: 'Times are shifted by a time zone, or cut to the day.',
    async run(scan) {
      const ticket = scan.ticket('windowed');
      const result = objectOf(await scan.validate(ticket.code));
      for (const name of ['validFrom', 'validUntil'] as const) {
        const expected = readTimestamp(ticket[name]);
        if (!expected) continue;
        const seen = readTimestamp(result[name]);
        const sameSecond = seen && isNear(seen, expected.epochMs, 999);
        if (!sameSecond) scan.fail(`${name}: ${ticket[name]}`, `${name}: ${show(result[name])}`);
      }
      return ticket.validFrom
        ? undefined
        : `${show(result['validFrom'])} to ${show(result['validUntil'])} (the target does not say)`;
    },
  },
  ...(['exhausted', 'multi'] as const).map(remainingCase),
];

function remainingCase(kind: TicketKind): CheckCase {
  return {
    id: `2.3/uses-remaining-of-${kind}`,
    level: 'stated',
    samples: [`${kind} validated`],
    requirement: `usesRemaining of a ticket (${kind}) is usesAllowed minus usesConsumed.`,
    cause: 'usesRemaining is stored apart, or computed with an off-by-one.',
    async run(scan) {
      const exchange = await scan.sample(`${kind} validated`);
      const result = expectTypedFields(exchange, ['usesAllowed', 'usesConsumed', 'usesRemaining']);
      const difference = Number(result['usesAllowed']) - Number(result['usesConsumed']);
      expectEqual(result['usesRemaining'], difference, 'usesRemaining');
    },
  };
}
