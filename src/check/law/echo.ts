import type { RequestSpec } from '../facts/exchange.ts';
import { stringsIn } from '../facts/json.ts';

/**
 * Section 4.5: the value of Key in the answer to a heartbeat is taken from that request. Which one is not said, so any value of its query or
 * its body is right.
 * @param key as the answer shows it
 */
export function isEchoOf({ query = [], body }: RequestSpec, key: unknown): boolean {
  const sent: unknown = body ? JSON.parse(String(body)) : {};
  const values = [
    ...query.map(([, value]) => value),
    ...[...stringsIn(sent)].map(({ text }) => text),
  ];
  return values.includes(String(key));
}
