import {
  type CaseResult,
  type CheckOptions,
  check,
  type Endpoint,
  listCases,
} from '../../../src/check/index.ts';
import { casesThatFind } from '../found.ts';
import { pathOf, startServer } from '../reference/server.ts';
import type { Twin } from '../twins/twin.ts';
import { ENDPOINTS } from './endpoints.ts';

const CASES = listCases();

function asksOn(id: string, endpoint: Endpoint): boolean {
  return CASES.some(
    (one) => one.id === id && one.endpoints.some((asked) => asked.endpoint === endpoint),
  );
}

/** The cases that are sequences over several endpoints. */
const SEQUENCES = CASES.filter(
  ({ endpoints, rateLimits }) => endpoints.length === 0 && !rateLimits,
).map(({ id }) => id);

/**
 * Plants a twin on one endpoint alone and asks there: first the cases that should notice it, then all of them with the
 * sequences, then the cases of the endpoints that ask this one too. It ends with the first case that fails there.
 * @returns the cases that failed
 */
export async function failuresOn(endpoint: Endpoint, twin: Twin): Promise<CaseResult[]> {
  const first = casesThatFind(twin.name)
    .filter((id) => asksOn(id, endpoint))
    .map((id) => `${id}@${endpoint}`);
  const others = async () => (await askersOf(endpoint)).map((one) => `*@${one}`);
  for (const casesOf of [() => first, () => [`*@${endpoint}`, ...SEQUENCES], others]) {
    const only = await casesOf();
    if (only.length === 0) continue;
    const noticed = new AbortController();
    const failed = await failuresOf(endpoint, twin, {
      only,
      signal: noticed.signal,
      onProgress({ outcome, failedEndpoints }) {
        if (outcome === 'failed' && failedEndpoints.includes(endpoint)) noticed.abort();
      },
    });
    if (failed.length > 0) return failed;
  }
  return [];
}

/** Plants a twin on one endpoint alone and runs every case that asks there. */
export async function allFailuresOn(endpoint: Endpoint, twin: Twin): Promise<CaseResult[]> {
  const asking = [endpoint, ...(await askersOf(endpoint))].map((one) => `*@${one}`);
  return failuresOf(endpoint, twin, { only: [...asking, ...SEQUENCES] });
}

async function failuresOf(
  endpoint: Endpoint,
  twin: Twin,
  options: Pick<CheckOptions, 'only' | 'signal' | 'onProgress'>,
): Promise<CaseResult[]> {
  const server = await startServer({ ...twin, only: endpoint });
  try {
    const { baseUrl, target } = server;
    const result = await check({ baseUrl, target, consume: true, maxRate: 5000, ...options });
    return result.cases.filter(({ outcome }) => outcome === 'failed');
  } finally {
    await server.close();
  }
}

const pathsAsked = new Map<Endpoint, Promise<ReadonlySet<string>>>();

/** The other endpoints whose cases send requests to this one: the rest of them meet nothing but the right server. */
async function askersOf(endpoint: Endpoint): Promise<Endpoint[]> {
  const askers: Endpoint[] = [];
  for (const other of ENDPOINTS.filter((one) => one !== endpoint)) {
    const paths = pathsAsked.get(other) ?? pathsAskedBy(other);
    pathsAsked.set(other, paths);
    if ((await paths).has(pathOf(endpoint))) askers.push(other);
  }
  return askers;
}

/** Where the cases of an endpoint send requests, on the right server. */
async function pathsAskedBy(endpoint: Endpoint): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  const server = await startServer({
    alter: () => ({
      finish(reply, { path }) {
        paths.add(path);
        return reply;
      },
    }),
  });
  try {
    const { baseUrl, target } = server;
    await check({ baseUrl, target, consume: true, maxRate: 5000, only: [`*@${endpoint}`] });
    return paths;
  } finally {
    await server.close();
  }
}
