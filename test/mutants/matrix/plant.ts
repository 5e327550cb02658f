import { type CaseResult, check, type Endpoint, listCases } from '../../../src/check/index.ts';
import { startServer } from '../reference/server.ts';
import type { Twin } from '../twins/twin.ts';
import { ENDPOINTS } from './endpoints.ts';

const CASES = listCases();
/** Names that the same requirement has on other endpoints. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/-on-(validate|consume)$/, '-on-validate'],
  [/-on-(validate|consume)$/, '-on-consume'],
  [/$/, '-on-consume'],
  [/^5\/(device-)?(.*?)(-on-(validate|consume))?$/, '5/device-$2'],
  [/^5\/device-(.*)$/, '5/$1-on-consume'],
  [/^4\.\d\//, '4.1/'],
  [/^4\.\d\/(.*)-(validated|consumed|granted)$/, '4.2/$1-consumed'],
  [/^4\.\d\/(.*)-(validated|consumed|granted)$/, '4.3/$1-granted'],
  [/^4\.\d\/(.*)-(validated|consumed|granted)$/, '4.4/$1-granted'],
  [/^4\.\d\/(.*)-(not-consumed|denied)$/, '4.2/$1-not-consumed'],
  [/^4\.\d\/(.*)-(not-consumed|denied)$/, '4.3/$1-denied'],
  [/^4\.\d\/(.*)-(not-consumed|denied)$/, '4.4/$1-denied'],
];

/** The cases that should notice a twin on an endpoint, by the names that it gives or that they have there. */
function likely(twin: Twin, endpoint: Endpoint): string[] {
  const names = twin.caughtBy.flatMap((id) => [
    id,
    ...SPELLINGS.map(([from, to]) => id.replace(from, to)),
  ]);
  return [...new Set(names)].filter((name) =>
    CASES.some(
      ({ id, endpoints }) => id === name && endpoints.some((one) => one.endpoint === endpoint),
    ),
  );
}

/**
 * Plants a twin on one endpoint alone and asks there: first the cases that should notice it, then all of them, then the
 * cases that are sequences over several endpoints.
 * @returns the cases that failed
 */
export async function failuresOn(endpoint: Endpoint, twin: Twin): Promise<CaseResult[]> {
  const first = likely(twin, endpoint).map((id) => `${id}@${endpoint}`);
  const sequences = CASES.filter(
    ({ endpoints, rateLimits }) => endpoints.length === 0 && !rateLimits,
  ).map(({ id }) => id);
  const others = ENDPOINTS.filter((one) => one !== endpoint).map((one) => `*@${one}`);
  for (const only of [first, [`*@${endpoint}`, ...sequences], others]) {
    if (only.length === 0) continue;
    const failed = await failuresOf(endpoint, twin, only);
    if (failed.length > 0) return failed;
  }
  return [];
}

/** Plants a twin on one endpoint alone and runs these cases; every one where none is named. */
export async function failuresOf(
  endpoint: Endpoint,
  twin: Twin,
  only: readonly string[] = [],
): Promise<CaseResult[]> {
  const server = await startServer({ ...twin, only: endpoint });
  try {
    const { baseUrl, target } = server;
    const result = await check({ baseUrl, target, consume: true, maxRate: 5000, only });
    return result.cases.filter(({ outcome }) => outcome === 'failed');
  } finally {
    await server.close();
  }
}
