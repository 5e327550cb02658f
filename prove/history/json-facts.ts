import { existsSync, readFileSync } from 'node:fs';
import type { StoreFacts, TicketFact } from './facts.ts';
import { readSqliteFacts } from './sqlite-facts.ts';

/**
 * Reads a JSON store: the database beside the document is the truth. The document may be behind it, but it is whole, and it never says more than
 * the database knows. @throws Error where neither is there
 */
export function readJsonFacts(path: string): StoreFacts {
  const facts = readSqliteFacts(`${path}.db`);
  return { ...facts, damage: [...facts.damage, ...documentProblems(path, facts.tickets)] };
}

interface DocumentTicket {
  readonly id: string;
  readonly usesConsumed: number;
}

function documentProblems(path: string, tickets: ReadonlyMap<string, TicketFact>): string[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  let listed: readonly DocumentTicket[];
  try {
    ({ tickets: listed } = JSON.parse(text) as { tickets: readonly DocumentTicket[] });
  } catch {
    return [`the document is not whole: ${text.length} characters`];
  }
  return listed
    .filter(({ id, usesConsumed }) => !(usesConsumed <= (tickets.get(id)?.usesConsumed ?? -1)))
    .map(
      ({ id, usesConsumed }) => `the document has ${usesConsumed} uses of ${id}, the database less`,
    );
}
