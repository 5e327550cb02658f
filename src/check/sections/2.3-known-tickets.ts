import type { CheckCase } from '../cases/case.ts';
import { judging, type Place } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { show } from '../facts/json.ts';
import { isNear, readTimestamp } from '../facts/timestamp.ts';
import { expectEqual, expectFields, expectTypedFields, objectOf } from '../judging/expect.ts';
import { REST, type RestEndpoint } from '../requests/endpoint.ts';
import type { Exchange } from '../requests/exchange.ts';
import type { GoodKind, RefusedKind } from '../samples/samples.ts';
import type { TargetTicket } from '../target/target.ts';

/** Section 2.3: results against what the target file says about its tickets, or against what validate said before. */
export const KNOWN_TICKET_CASES: readonly CheckCase[] = [
  {
    id: '2.3/holder-names',
    requirement: "holder.firstName and holder.lastName are the holder's names.",
    cause: 'Names are swapped, cut or lose their accents.',
    cells: judging(['personalised'], REST, (exchange, scan, place) => {
      const seen = expectTypedFields(exchange, ['holder'])['holder'] as Record<string, unknown>;
      const holder = knownOf(scan, place).holder ?? toldBefore(scan, place)?.['holder'];
      if (!holder) return `holder ${show(seen)} (the target does not say who it is)`;
      const names: Readonly<Record<string, unknown>> = { ...holder };
      for (const name of ['firstName', 'lastName']) {
        if (names[name] !== undefined) expectEqual(seen[name], names[name], `holder.${name}`);
      }
      return undefined;
    }),
  },
  {
    id: '2.3/uses-allowed-as-sold',
    requirement: 'usesAllowed is the maximum number of uses of that ticket.',
    cause: 'usesAllowed is a default, or the rest of the uses.',
    cells: judging(['multi'], REST, (exchange, scan, place) => {
      const usesAllowed =
        knownOf(scan, place).usesAllowed ?? toldBefore(scan, place)?.['usesAllowed'];
      if (usesAllowed === undefined)
        return `${show(objectOf(exchange)['usesAllowed'])} (the target does not say)`;
      expectFields(exchange, { usesAllowed });
      return undefined;
    }),
  },
  {
    id: '2.3/uses-allowed-stays',
    requirement: 'usesAllowed is the maximum, not the rest: a use does not change it.',
    cause: 'The remaining uses are shown as allowed.',
    cells: [
      {
        endpoint: 'consume',
        keys: ['rest'],
        tickets: { multi: 1 },
        uses: { multi: 1 },
        async run(scan) {
          const { code } = scan.ticket('multi');
          const { usesAllowed } = objectOf(await scan.validate(code));
          expectFields(await scan.consume(code), { status: 'consumed', usesAllowed });
          expectFields(await scan.validate(code), { usesAllowed });
        },
      },
    ],
  },
  {
    id: '2.3/ticket-id-as-issued',
    requirement: 'ticketId is the identifier of that ticket, and stays the same.',
    cause: 'ticketId is a row number, or made anew for each answer.',
    cells: [
      ...judging(['single', 'multi', 'personalised', 'windowed'], ['validate'], sameTicketId),
      ...judging(['single', 'multi', 'personalised', 'windowed'], ['consume'], sameTicketId),
    ],
  },
  {
    id: '2.3/window-as-sold',
    requirement: 'validFrom and validUntil are the moments that the ticket was sold with.',
    cause: 'Times are shifted by a time zone, or cut to the day.',
    cells: [
      ...judging(['windowed'], REST, windowAsSold),
      ...judging(['openEnd', 'openStart', 'notYetValid', 'expired'], REST, windowAsSold),
    ],
  },
  {
    id: '2.3/consume-tells-what-validate-told',
    requirement:
      'ticketId, ticketType, usesAllowed, the holder and the window of a consumed ticket are those that validate showed.',
    cause: 'The consume answer reads its fields from elsewhere than the validate answer.',
    cells: judging(['single', 'multi', 'personalised', 'windowed'], ['consume'], sameAsBefore),
  },
  ...(['exhausted', 'multi'] as const).map(
    (kind): CheckCase => ({
      id: `2.3/uses-remaining-of-${kind}`,
      requirement: `usesRemaining of a ticket (${kind}) is usesAllowed minus usesConsumed.`,
      cause: 'usesRemaining is stored apart, or computed with an off-by-one.',
      cells: judging([kind], REST, (exchange) => {
        const result = expectTypedFields(exchange, [
          'usesAllowed',
          'usesConsumed',
          'usesRemaining',
        ]);
        const difference = Number(result['usesAllowed']) - Number(result['usesConsumed']);
        expectEqual(result['usesRemaining'], difference, 'usesRemaining');
      }),
    }),
  ),
];

type Known = Place<GoodKind | RefusedKind, RestEndpoint>;

/** What the target says about the ticket of a shared answer. */
function knownOf(scan: Scan, { sample, situation }: Known): TargetTicket {
  return scan.ticketOf(sample, situation);
}

/** The result of validating the same ticket before its use. */
function toldBefore(scan: Scan, { sample, endpoint }: Known) {
  return endpoint === 'consume' ? objectOf(scan.before(sample)) : undefined;
}

function windowAsSold(exchange: Exchange, scan: Scan, place: Known): string | undefined {
  const ticket = knownOf(scan, place);
  const result = objectOf(exchange);
  const isRefused = place.situation === 'notYetValid' || place.situation === 'expired';
  const before = isRefused ? undefined : toldBefore(scan, place);
  for (const name of ['validFrom', 'validUntil'] as const) {
    // whether a ticket that is refused shows its window is not said
    if (isRefused && (result[name] ?? null) === null) continue;
    const sold = ticket[name] ?? before?.[name];
    if (!isSameSecond(result[name], sold))
      scan.fail(`${name}: ${sold}`, `${name}: ${show(result[name])}`);
  }
  return ticket.validFrom || ticket.validUntil || before
    ? undefined
    : `${show(result['validFrom'])} to ${show(result['validUntil'])} (the target does not say)`;
}

/** True also where it is not known when it should be. */
function isSameSecond(seen: unknown, sold: unknown): boolean {
  const [moment, expected] = [readTimestamp(seen), readTimestamp(sold)];
  return !expected || (moment !== undefined && isNear(moment, expected.epochMs, 999));
}

async function sameTicketId(exchange: Exchange, scan: Scan, place: Known): Promise<void> {
  const { code, ticketId } = knownOf(scan, place);
  expectTypedFields(exchange, ['ticketId']);
  const other =
    place.endpoint === 'consume' ? scan.before(place.sample) : await scan.validate(code);
  const expected = ticketId ?? expectTypedFields(other, ['ticketId'])['ticketId'];
  expectEqual(objectOf(exchange)['ticketId'], expected, 'ticketId', exchange);
}

function sameAsBefore(exchange: Exchange, scan: Scan, place: Known): void {
  const before = objectOf(scan.before(place.sample));
  const fields = ['ticketId', 'ticketType', 'usesAllowed', 'holder', 'validFrom', 'validUntil'];
  const names = fields.filter((name) => name in before);
  expectFields(exchange, Object.fromEntries(names.map((name) => [name, before[name]])));
}
