import type { StoreFacts } from './facts.ts';
import { readJsonFacts } from './json-facts.ts';
import { readSqliteFacts } from './sqlite-facts.ts';

/** Reads the store at a URL `sqlite:FILE` or `json:FILE`. @throws Error for one that it cannot read */
export function readFacts(storeUrl: string): StoreFacts {
  const [, engine = '', path = ''] = /^([a-z]+):(.+)$/s.exec(storeUrl) ?? [];
  if (engine === 'sqlite') return readSqliteFacts(path);
  if (engine === 'json') return readJsonFacts(path);
  throw new Error(`The history checker reads sqlite:FILE and json:FILE, not "${storeUrl}".`);
}
