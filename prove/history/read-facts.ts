import type { StoreFacts } from './facts.ts';
import { readSqliteFacts } from './sqlite-facts.ts';

/** Reads the store at a URL such as `sqlite:./ticketscan.db`. @throws Error for one that it cannot read */
export function readFacts(storeUrl: string): StoreFacts {
  const [, engine = '', path = ''] = /^([a-z]+):(.+)$/s.exec(storeUrl) ?? [];
  if (engine === 'sqlite') return readSqliteFacts(path);
  throw new Error(`The history checker reads sqlite:FILE, not "${storeUrl}".`);
}
