import { isUse, type LogFact } from './facts.ts';
import type { Check, Problem } from './problem.ts';
import { groupBy, type Use, usesOf } from './uses.ts';

/** Every acknowledged use is in the log, once, under its number, its key and its time. */
export const acknowledgedIsStored: Check = (history, { log }) => {
  const rows = groupBy(log.filter(isUse), (entry) => `${entry.ticket} ${entry.usesConsumed}`);
  return usesOf(history).flatMap((use) => {
    const [first] = use.acknowledged;
    if (!first) return [];
    const found = rows.get(`${use.ticket} ${first.usesConsumed}`) ?? [];
    const text = faultOf(use, found, history.startSequence);
    return text
      ? [
          {
            rule: 'acknowledged-is-stored',
            text: `${use.ticket}, use ${first.usesConsumed}: ${text}`,
          },
        ]
      : [];
  });
};

function faultOf(
  { key, acknowledged }: Use,
  rows: readonly LogFact[],
  startSequence: number,
): string | undefined {
  const [row] = rows;
  if (!row) return 'acknowledged, but not in the log';
  if (rows.length > 1) return `in the log ${rows.length} times`;
  if (row.sequence <= startSequence) return 'was in the log before it was asked for';
  if (row.key !== key) return `acknowledged to ${key}, logged for ${row.key}`;
  const told = acknowledged.find(
    ({ scannedAt }) => scannedAt !== undefined && Date.parse(scannedAt) !== row.at,
  );
  return told && `acknowledged for ${told.scannedAt}, logged for ${new Date(row.at).toISOString()}`;
}

/**
 * Every use in the log since the start was asked for: refused requests, looks and repeated answers changed nothing.
 * A use that nobody has an answer to needs a request whose outcome is unknown.
 */
export const nothingElseChanged: Check = (history, { log }) => {
  const rows = groupBy(
    log.filter((entry) => entry.sequence > history.startSequence && isUse(entry)),
    (entry) => `${entry.ticket} with ${entry.key}`,
  );
  const uses = groupBy(usesOf(history), (use) => `${use.ticket} with ${use.key}`);
  const problems: Problem[] = [];
  for (const [name, entries] of rows) {
    const asked = uses.get(name)?.length ?? 0;
    if (entries.length <= asked) continue;
    const text = `${name}: the log holds ${entries.length} uses, at most ${asked} were asked for and not refused`;
    problems.push({ rule: 'nothing-else-changed', text });
  }
  return problems;
};
