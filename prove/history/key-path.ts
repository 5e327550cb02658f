import { isUse, type StoreFacts } from './facts.ts';
import type { Check, Problem } from './problem.ts';
import type { History, Operation } from './record.ts';
import { usesAmong } from './ticket-path.ts';
import { type Change, contradiction, type Sight } from './timeline.ts';

type KeyState = 'active' | 'disabled' | 'deleted';

const STATE_AFTER: Readonly<Record<string, KeyState>> = {
  disable: 'disabled',
  enable: 'active',
  delete: 'deleted',
};

/**
 * Every key has a path too: its changes one after another, each scan accepted while it was active and refused while it was not,
 * and in the store at last what the last change says.
 */
export const keysHaveAPath: Check = (history, facts) => {
  const byKey = Map.groupBy(history.operations, ({ key }) => key ?? '');
  byKey.delete('');
  return [...byKey].flatMap(([key, operations]) => {
    const changes = operations.filter(({ action }) => action in STATE_AFTER).map(openEnded);
    const state = facts.keys.get(key) ?? 'deleted';
    const known = changes.filter(
      ({ outcome }, at) => outcome === 'ok' || isStored(changes, at, state),
    );
    // From the first change on of which nobody knows whether it happened, every answer is possible.
    const unknown = changes.filter((change) => !known.includes(change));
    const knownUntil = Math.min(Infinity, ...unknown.map(({ start }) => start));
    const scans = [...operations.filter(isAnsweredScan), ...unansweredUses(key, history, facts)];
    const judged = scans.filter(({ start, end }) => (end < Infinity ? end : start) < knownUntil);
    return [...lostChange(key, changes, state), ...refused(key, known, judged)];
  });
};

/** A change that nobody confirmed may happen at any time after it was asked for. */
function openEnded(change: Operation): Operation {
  return change.outcome === 'unknown' ? { ...change, end: Infinity } : change;
}

function isAnsweredScan({ action, outcome }: Operation): boolean {
  return outcome !== 'unknown' && (action === 'consume' || action === 'validate');
}

/** Uses in the log that no client was told of: the key was accepted, at the earliest for the requests that began first. */
function unansweredUses(key: string, history: History, { log }: StoreFacts): Operation[] {
  const rows = log.filter((row) => row.key === key && row.sequence > history.startSequence);
  const rowsOf = Map.groupBy(rows.filter(isUse), ({ ticket }) => ticket);
  const asked = history.operations.filter((one) => one.key === key);
  return [...rowsOf].flatMap(([ticket, taken]) => {
    const uses = usesAmong(asked.filter((one) => one.ticket === ticket));
    const told = uses.filter(({ granted }) => granted.length > 0).length;
    const others = uses
      .filter(({ granted, start }) => granted.length === 0 && start < Infinity)
      .sort((a, b) => a.start - b.start)
      .slice(0, Math.max(0, taken.length - told));
    return others.flatMap(({ tries: [first], start }) =>
      first ? [{ ...first, start, end: Infinity, status: 'consumed' }] : [],
    );
  });
}

/** A change that nobody confirmed may have happened: the store tells whether the last one did. */
function isStored(changes: readonly Operation[], at: number, state: KeyState): boolean {
  return at === changes.length - 1 && STATE_AFTER[changes[at]?.action ?? ''] === state;
}

function lostChange(key: string, changes: readonly Operation[], state: KeyState): Problem[] {
  const last = changes.at(-1);
  if (!last || state === STATE_AFTER[last.action]) return [];
  // An earlier change of which nobody heard may come later, but nothing brings a deleted key back.
  const isCertain = last.action === 'delete' && last.outcome === 'ok';
  if (!isCertain && changes.some(({ outcome }) => outcome === 'unknown')) return [];
  const text = `${key}: ${last.action} was confirmed, the store says ${state}`;
  return [{ rule: 'acknowledged-is-stored', text }];
}

function refused(
  key: string,
  changes: readonly Operation[],
  scans: readonly Operation[],
): Problem[] {
  const states: KeyState[] = [
    'active',
    ...changes.map(({ action }) => STATE_AFTER[action] ?? 'active'),
  ];
  const problems: Problem[] = [];
  const sights: Sight[] = [];
  for (const scan of scans) {
    const isRefused = scan.status === 'key_refused';
    const fits = (state: KeyState) => (state === 'active') !== isRefused;
    const text = `request ${scan.id} was ${isRefused ? 'refused' : 'accepted'}`;
    const times = `asked for at ${scan.start}, answered at ${scan.end}`;
    if (!states.some(fits))
      problems.push({ rule: 'refused-with-cause', text: `${key}: ${text} without a cause` });
    else if (!wasEver(fits, scan, states, changes))
      problems.push({ rule: 'revoked-is-refused', text: `${key}: ${text}, ${times}` });
    else
      sights.push({
        ...scan,
        first: states.findIndex(fits),
        last: states.findLastIndex(fits),
        text,
      });
  }
  const text = contradiction(
    changes.map((one): Change => ({ ...one, text: one.action })),
    sights,
  );
  if (text !== undefined) problems.push({ rule: 'revoked-is-refused', text: `${key}: ${text}` });
  return problems;
}

/** One of the states that fit can have been in force within the time of the scan. */
function wasEver(
  fits: (state: KeyState) => boolean,
  { start, end }: Operation,
  states: readonly KeyState[],
  changes: readonly Operation[],
): boolean {
  return states.some((state, index) => {
    const from = changes[index - 1]?.start ?? -Infinity;
    const to = changes[index]?.end ?? Infinity;
    return fits(state) && from <= end && to >= start;
  });
}
