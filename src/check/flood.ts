import type { Exchange, RequestSpec } from './exchange.ts';
import { isRecord } from './facts/json.ts';
import type { Scan } from './scan.ts';

/** Enough to exceed a limit of 100 and 50 a second, for a client that sends 85 a second or more. */
export const FLOOD = 600;
/** So many refusals show a limit; more need not be provoked. */
const REFUSALS_WANTED = 60;

/** Sends until the limit shows, as fast as 40 connections can. */
export function flood(scan: Scan, request: () => RequestSpec): Promise<Exchange[]> {
  return sendAll(scan, FLOOD, request, REFUSALS_WANTED);
}

/** Sends `count` requests on 40 connections, fewer once so many were refused. */
export async function sendAll(
  scan: Scan,
  count: number,
  request: () => RequestSpec,
  refusalsWanted = Number.POSITIVE_INFINITY,
): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  let left = count;
  let refused = 0;
  const sender = async () => {
    while (left > 0 && refused < refusalsWanted) {
      left -= 1;
      const exchange = await scan.unpaced(request());
      exchanges.push(exchange);
      if (isLimited(exchange)) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: 40 }, sender));
  return exchanges;
}

/** Refused for the rate: 429, or a device's denial that is not the one of a forged card. */
export function isLimited({ answer, request }: Exchange): boolean {
  if (answer.status === 429) return true;
  if (!request.path.startsWith('/scan/hw/') || !isRecord(answer.json)) return false;
  return answer.json['AcsRes'] === '0' && answer.json['Note'] !== 'Ungültiges Ticket';
}
