import autocannon from 'autocannon';

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

/** Posts each code in turn from `connections` clients for `seconds`. @throws when any answer is not a 200 */
export async function load(
  url: string,
  key: string,
  codes: readonly string[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadResult> {
  const shares = Array.from({ length: connections }, (_, client) =>
    codes
      .filter((_code, index) => index % connections === client)
      .map((ticketCode) => ({
        method: 'POST' as const,
        path: '/scan/consume',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ ticketCode }),
      })),
  );
  const setupClient = (client: autocannon.Client) => client.setRequests(shares.pop() ?? []);
  const result = await autocannon({ url, connections, duration: seconds, setupClient });
  if (result.non2xx > 0 || result.errors > 0 || result['2xx'] === 0) {
    throw new Error(`${result.non2xx} answers were no 200, ${result.errors} requests failed`);
  }
  return { requestsPerSecond: result.requests.average, p99Ms: result.latency.p99 };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}
