import { beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS, type Endpoint } from './matrix/endpoints.ts';
import { FREEDOMS, SHOWN_BY_HISTORY } from './matrix/free.ts';
import { allFailuresOn, failuresOn } from './matrix/plant.ts';
import { showsOn } from './matrix/shows.ts';
import { TWINS } from './twins/index.ts';
import type { Twin } from './twins/twin.ts';

const AT_ONCE = 4;

/** The endpoints on which a twin errs when it is planted there alone. */
async function placesOf(twin: Twin): Promise<Endpoint[]> {
  const told = SHOWN_BY_HISTORY[twin.name];
  if (told) return [...told];
  const shown: Endpoint[] = [];
  // what a twin does to the bytes of an answer, no probe sees
  for (const endpoint of ENDPOINTS)
    if (twin.write || (await showsOn(endpoint, twin))) shown.push(endpoint);
  return shown;
}

function isFree(twin: Twin, endpoint: Endpoint): boolean {
  return FREEDOMS.some(
    ({ twins, endpoints }) => twins.includes(twin.name) && endpoints.includes(endpoint),
  );
}

describe('a fault on one endpoint alone', { timeout: 300_000 }, () => {
  const cells: { readonly twin: Twin; readonly endpoint: Endpoint }[] = [];

  beforeAll(async () => {
    for (const twin of TWINS) {
      for (const endpoint of await placesOf(twin)) cells.push({ twin, endpoint });
    }
  }, 120_000);

  test('every twin errs somewhere, and most on several endpoints', () => {
    const erring = new Set(cells.map(({ twin }) => twin.name));
    expect(TWINS.map(({ name }) => name).filter((name) => !erring.has(name))).toEqual([]);
    expect(cells.length).toBeGreaterThan(600);
  });

  test('is noticed wherever the specification says something about it', async () => {
    const missed: string[] = [];
    const elsewhere: string[] = [];
    const queue = cells.filter(({ twin, endpoint }) => !isFree(twin, endpoint)).values();
    const worker = async () => {
      for (const { twin, endpoint } of queue) {
        const place = `${twin.name}@${endpoint}`;
        const failed = await failuresOn(endpoint, twin);
        if (failed.length === 0) missed.push(place);
        else if (!failed.some(({ failedEndpoints }) => failedEndpoints.includes(endpoint)))
          elsewhere.push(place);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(missed).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  test('passes where the specification says nothing about it, or the reason is out of date', async () => {
    const named = FREEDOMS.flatMap(({ twins, endpoints }) =>
      twins.flatMap((name) => endpoints.map((endpoint) => ({ name, endpoint }))),
    );
    const noticed: string[] = [];
    const queue = named.values();
    const worker = async () => {
      for (const { name, endpoint } of queue) {
        const cell = cells.find((one) => one.twin.name === name && one.endpoint === endpoint);
        if (cell && (await allFailuresOn(endpoint, cell.twin)).length > 0)
          noticed.push(`${name}@${endpoint}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(noticed).toEqual([]);
  });
});
