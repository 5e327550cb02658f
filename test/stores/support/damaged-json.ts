import { readFileSync } from 'node:fs';
import { TicketscanError } from '../../../src/core/errors.ts';
import { loadStore } from '../../../src/stores/json/recorded-state.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { statusOfOutcome, type TestStore } from '../../support/stores.ts';

/** What was acknowledged: the uses of each ticket. */
type Uses = ReadonlyMap<string, number>;

export interface Files {
  readonly document: Buffer;
  readonly log: Buffer;
}

/** A store as it lies on the disk after scans, with what was acknowledged until then. */
export async function usedStore(
  gate: TestStore,
  end: 'clean stop' | 'crash' | 'pruning',
): Promise<Files & { readonly uses: Uses }> {
  const holder = { firstName: 'Zoë', lastName: 'Müller' };
  const cards = [
    await gate.mint({ kind: 'multi', uses: 3, ...holder }),
    await gate.mint(),
    await gate.mint({ kind: 'permanent' }),
  ];
  const [card, single, permanent] = cards.map(({ id }) => id) as [string, string, string];
  const uses = new Map<string, number>();
  const scan = async (...ids: string[]) => {
    const outcomes = await gate.scan(...ids.map((id) => gate.request(id, { serial: 'S"1\n' })));
    for (const [index, id] of ids.entries()) {
      if (statusOfOutcome(outcomes[index]) === 'consumed') uses.set(id, (uses.get(id) ?? 0) + 1);
    }
  };
  await scan(card, single, single);
  // A first session that ended cleanly: the document holds a part, the log all.
  await gate.reopen();
  await scan(permanent, card);
  await gate.store.cancelTickets([single], gate.clock.now(), AN_AUDIT_ENTRY);
  await scan(permanent);
  await scan(card, permanent, permanent);
  if (end === 'pruning') await gate.store.pruneLog(gate.clock.now() + 1, 5);
  if (end !== 'crash') await gate.store.close();
  const path = pathOf(gate);
  const files = { document: readFileSync(path), log: readFileSync(`${path}.log`) };
  return { ...files, uses };
}

export const pathOf = (gate: TestStore) => gate.url.slice('json:'.length);

/** What becomes of damaged files: refused with what to do, whole, or with less than was acknowledged. */
export function outcomeOf(
  { document, log }: Files,
  uses: Uses,
): 'refused' | 'whole' | 'LESS' | 'MORE' {
  try {
    const files = { path: 'x.json', logPath: 'x.json.log' };
    const { state } = loadStore({ ...files, document: utf8(document), log });
    let outcome: 'whole' | 'LESS' | 'MORE' = 'whole';
    for (const { id, usesConsumed } of state.tickets.values()) {
      if (usesConsumed > (uses.get(id) ?? 0)) outcome = 'MORE';
    }
    for (const [id, count] of uses) {
      if ((state.tickets.get(id)?.usesConsumed ?? 0) < count) outcome = 'LESS';
    }
    return outcome;
  } catch (error) {
    if (error instanceof TicketscanError && error.code.startsWith('store_')) return 'refused';
    throw error;
  }
}

/** Decodes a document as the store does, which refuses what is no UTF-8. */
function utf8(document: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(document);
  } catch (error) {
    throw new TicketscanError('store_damaged', 'not UTF-8', { cause: error });
  }
}

/** Where the last line ends: everything behind it is filler. */
export const contentBytes = (log: Buffer) => log.toString('latin1').trimEnd().length + 1;

export function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
