import type { StoreFacts } from './facts.ts';
import type { Check, Problem } from './problem.ts';
import type { History, Operation } from './record.ts';
import { groupBy, nameOfUse } from './uses.ts';

/**
 * Nothing was accepted that began after the answer to a disable, a delete or a cancel. A repeated request may get the answer of
 * the first from before a cancel: that use was registered then, and is not taken back. Its key has to hold all the same.
 */
export const revokedIsRefused: Check = (history) => {
  const problems: Problem[] = [];
  const changes = changesIn(history);
  const firstTry = firstTriesIn(history);
  for (const scan of scansIn(history)) {
    const keyEnd = changes
      .of(scan.key)
      .find((change) => holdsFor(change, scan, changes.of(scan.key)));
    if (keyEnd && isAcceptedByKey(scan)) {
      problems.push(breach(scan, `key ${scan.key} (${keyEnd.action} answered at ${keyEnd.end})`));
    }
    const asked = firstTry(scan);
    const ticketEnd = changes
      .of(scan.ticket)
      .find((change) => change.outcome === 'ok' && change.end < asked);
    if (ticketEnd && scan.outcome === 'ok') {
      problems.push(breach(scan, `ticket ${scan.ticket} (cancel answered at ${ticketEnd.end})`));
    }
  }
  return problems;
};

const KEY_STATES: Readonly<Record<string, string>> = {
  disable: 'disabled',
  enable: 'active',
  delete: 'deleted',
};

/** Each confirmed cancel and the last confirmed change of each key is in the store. */
export const changesAreStored: Check = ({ operations }, facts) => [
  ...operations.flatMap((operation) => lostCancel(operation, facts)),
  ...[...groupBy(operations.filter(changesKey), (change) => change.key ?? '')].flatMap(
    ([key, changes]) => lostKeyChange(changes, facts.keys.get(key) ?? 'deleted'),
  ),
];

function changesKey({ action }: Operation): boolean {
  return action in KEY_STATES;
}

function lostCancel({ action, ticket, outcome }: Operation, { tickets }: StoreFacts): Problem[] {
  if (action !== 'cancel' || outcome !== 'ok' || tickets.get(ticket ?? '')?.cancelled) return [];
  return [lost(`${ticket}: its cancel was confirmed, but is not in the store`)];
}

function lostKeyChange(changes: readonly Operation[], state: string): Problem[] {
  const last = changes.at(-1);
  const uncertain = changes.some((one) => one.outcome === 'unknown');
  if (!last || uncertain || state === KEY_STATES[last.action]) return [];
  return [lost(`${last.key}: ${last.action} was confirmed, the store says ${state}`)];
}

function lost(text: string): Problem {
  return { rule: 'acknowledged-is-stored', text };
}

/** Nobody is turned away without a cause: for a key that was never revoked, a ticket that has uses and no end. */
export const refusedWithCause: Check = (history, { tickets }) => {
  const changes = changesIn(history);
  return scansIn(history).flatMap((scan): Problem[] => {
    if (scan.outcome !== 'fail') return [];
    const ticket = tickets.get(scan.ticket ?? '');
    const causes: Record<string, boolean> = {
      key_refused: changes
        .of(scan.key)
        .some(({ action, start }) => action !== 'enable' && start < scan.end),
      exhausted:
        ticket !== undefined && (scan.usesConsumed ?? ticket.usesConsumed) === ticket.usesAllowed,
      not_found: ticket === undefined,
      ticket_cancelled: ticket?.cancelled === true,
      expired: ticket !== undefined && ticket.validUntil !== null,
      not_yet_valid: ticket !== undefined && ticket.validFrom !== null,
    };
    const name = scan.reason ?? scan.status ?? '';
    if (causes[name] ?? true) return [];
    return [
      {
        rule: 'refused-with-cause',
        text: `answer ${scan.id} is ${name} without a cause (${scan.ticket})`,
      },
    ];
  });
};

/** When the use was first asked for that a scan asks for: by itself, or by an earlier request that was not refused. */
function firstTriesIn(history: History): (scan: Operation) => number {
  const tries = groupBy(
    scansIn(history).filter(({ outcome }) => outcome !== 'fail'),
    nameOfUse,
  );
  return (scan) => {
    const same = (tries.get(nameOfUse(scan)) ?? []).filter(({ ticket }) => ticket === scan.ticket);
    return Math.min(scan.start, ...same.map(({ start }) => start));
  };
}

function changesIn({ operations }: History): {
  of(name: string | undefined): readonly Operation[];
} {
  const changes = operations.filter(({ action }) => action !== 'consume' && action !== 'validate');
  const byName = groupBy(
    changes,
    ({ action, key, ticket }) => (action === 'cancel' ? ticket : key) ?? '',
  );
  return { of: (name) => byName.get(name ?? '') ?? [] };
}

function scansIn({ operations }: History): Operation[] {
  return operations.filter(({ action }) => action === 'consume' || action === 'validate');
}

/** A disable holds until an enable is asked for; a delete for ever. */
function holdsFor(change: Operation, scan: Operation, all: readonly Operation[]): boolean {
  if (change.action === 'enable' || change.outcome !== 'ok' || change.end >= scan.start)
    return false;
  if (change.action === 'delete') return true;
  return !all.some(
    ({ action, start, end }) => action === 'enable' && start < scan.end && end > change.start,
  );
}

/** A refused key is refused before anything else is looked at: any other answer has accepted it. */
function isAcceptedByKey({ outcome, status }: Operation): boolean {
  return outcome === 'ok' || (outcome === 'fail' && status !== 'key_refused');
}

function breach({ id, start, status }: Operation, what: string): Problem {
  return {
    rule: 'revoked-is-refused',
    text: `request ${id} began at ${start}, was answered ${status}: ${what}`,
  };
}
