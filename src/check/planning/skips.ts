import { type CheckCase, cellsOf, type Needs, type TicketCounts } from '../cases/case.ts';
import type { KeyAccess } from '../key-changes/spare-keys.ts';
import { isOptional, SPENT_KINDS, type Target, type TicketKind } from '../target/target.ts';

/** Why something is not asked. */
export interface Skip {
  readonly reason: string;
  /** True for what a target may leave out: the check is complete without it. */
  readonly optional?: true;
}

export const NO_BAIT: Skip = {
  reason: `forged codes and refused keys go to a consume endpoint only with tickets that cannot be used: the target has too few of ${SPENT_KINDS.map((kind) => `"${kind}"`).join(', ')}`,
};
export const NO_PURSE: Skip = {
  reason: 'the target has too few "permanent" tickets: 1 more needed',
};

/** Why the needs of a cell or sample are not met; undefined where they are. */
export function whySkipped(
  needs: Needs,
  target: Target,
  consent: boolean,
  access: KeyAccess,
): Skip | undefined {
  return whyNoChange(needs, target, access) ?? whyNot(needs, target, consent, access);
}

/** A question cannot judge an answer that is not fetched; a review needs one of its answers at least. */
export function skipWithSamples(cases: readonly CheckCase[], skipped: Map<string, Skip>): void {
  for (const one of cases) {
    for (const { name, samples = [] } of cellsOf(one)) {
      const reasons = samples
        .map((sample) => skipped.get(sample))
        .filter((skip) => skip !== undefined);
      const needed = one.phase === 'review' ? samples.length : 1;
      const skip = reasons.find(({ optional }) => !optional) ?? reasons[0];
      if (skip && reasons.length >= needed && !skipped.has(name)) skipped.set(name, skip);
    }
  }
}

/** Why a key cannot be changed as it wants. A check is complete without it. */
function whyNoChange(
  { changes = [], keys = [] }: Needs,
  { keys: has }: Target,
  access: KeyAccess,
): Skip | undefined {
  const missing = changes.find((change) => access.hooks[change] === undefined);
  if (missing !== undefined)
    return {
      reason: `it changes a key: add --token, or --hook ${missing}=COMMAND`,
      optional: true,
    };
  if (changes.length === 0 || access.create || keys.every((name) => has[name] !== undefined))
    return;
  return {
    reason: `the target has no key "${keys[0]}", which the check may change`,
    optional: true,
  };
}

function whyNot(
  needs: Needs,
  target: Target,
  consent: boolean,
  access: KeyAccess,
): Skip | undefined {
  const lacking = (needs.keys ?? []).filter(
    (name) => target.keys[name] === undefined && !(needs.changes && access.create),
  );
  const key = lacking.find(isOptional) ?? lacking[0];
  if (key !== undefined)
    return { reason: `the target has no key "${key}"`, ...optionalWhere(isOptional(key)) };
  for (const [kind, count] of entries(needs.tickets)) {
    const have = target.tickets[kind]?.length ?? 0;
    if (have >= count) continue;
    const reason = `the target has ${have} of the ${count} "${kind}" tickets it needs`;
    return { reason, ...optionalWhere(isOptional(kind)) };
  }
  if (needs.uses && !consent) {
    return {
      reason: 'it sends tickets to a consume endpoint: add --consume',
    };
  }
  return undefined;
}

export function optionalWhere(optional: boolean): { optional?: true } {
  return optional ? { optional } : {};
}

function entries(counts: TicketCounts | undefined): [TicketKind, number][] {
  return Object.entries(counts ?? {}) as [TicketKind, number][];
}
