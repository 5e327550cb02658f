import type { Check, Problem } from './problem.ts';
import type { Operation } from './record.ts';
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
export const keysHaveAPath: Check = ({ operations }, { keys }) => {
  const byKey = Map.groupBy(operations, ({ key }) => key ?? '');
  byKey.delete('');
  return [...byKey].flatMap(([key, ofKey]) => {
    const changes = ofKey.filter(({ action }) => action in STATE_AFTER);
    const scans = ofKey.filter(
      ({ action, outcome }) =>
        !(action in STATE_AFTER) && outcome !== 'unknown' && action !== 'cancel',
    );
    // A change that nobody confirmed may have happened: the store tells whether the last one did.
    const known = changes.filter(
      ({ outcome }, at) => outcome === 'ok' || isStored(changes, at, keys.get(key)),
    );
    return [...lostChange(key, changes, keys.get(key) ?? 'deleted'), ...refused(key, known, scans)];
  });
};

function isStored(changes: readonly Operation[], at: number, state: KeyState = 'deleted'): boolean {
  return at === changes.length - 1 && STATE_AFTER[changes[at]?.action ?? ''] === state;
}

function lostChange(key: string, changes: readonly Operation[], state: KeyState): Problem[] {
  const last = changes.at(-1);
  if (!last || changes.some(({ outcome }) => outcome === 'unknown')) return [];
  if (state === STATE_AFTER[last.action]) return [];
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
