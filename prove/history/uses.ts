import type { History, Operation } from './record.ts';

/** Requests that are one use: a request on its own, or all that carry the same idempotency name. */
export interface Use {
  readonly ticket: string;
  readonly key: string;
  readonly start: number;
  /** When the first of them was answered with the use; Infinity when none was. */
  readonly end: number;
  readonly acknowledged: readonly Operation[];
  /** At least one of them may have been registered without an answer. */
  readonly uncertain: boolean;
}

/** The consume requests of a history, with repeated ones put together. Those that were refused are left out. */
export function usesOf({ operations }: History): Use[] {
  const consumes = operations.filter(
    ({ action, ticket }) => action === 'consume' && ticket !== undefined,
  );
  return [...groupBy(consumes, nameOfUse).values()]
    .map(useFrom)
    .filter((use) => use.uncertain || use.acknowledged.length > 0);
}

/** The same for requests that are one use. */
export function nameOfUse({ retry, key, id }: Operation): string {
  return retry === undefined ? String(id) : JSON.stringify([key, retry]);
}

function useFrom(group: readonly Operation[]): Use {
  const acknowledged = group.filter((one) => one.outcome === 'ok');
  return {
    ticket: group[0]?.ticket ?? '',
    key: group[0]?.key ?? '',
    start: Math.min(...group.map((one) => one.start)),
    end: Math.min(Number.POSITIVE_INFINITY, ...acknowledged.map((one) => one.end)),
    acknowledged,
    uncertain: group.some((one) => one.outcome === 'unknown'),
  };
}

export function groupBy<Item>(
  items: Iterable<Item>,
  nameOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
