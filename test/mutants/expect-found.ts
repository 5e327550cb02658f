import { describe, expect, test } from 'vitest';
import {
  type CheckResult,
  type Endpoint,
  exitCodeOf,
  renderReport,
} from '../../src/check/index.ts';
import { ENDPOINTS, type FaultyServer } from './faults/faulty-server.ts';
import { FAULTY } from './faults/index.ts';
import { caseOf, casesThatFind, eachOf, FOUND, foundIn, longCasesBeside } from './found.ts';
import { showsOn } from './probes.ts';
import { checkFaulty } from './selection.ts';

/** `npm run found` runs the long cases on every faulty server; here, on those that fail one, and on each of so many others. */
const WHOLE_OF = 8;
const LINES_MAX = 60;
/** Cases that send a request again seconds later: on which connection, and after what, differs from run to run. */
const SENT_AGAIN_LATER: readonly string[] = ['3.2/use-stays-taken', '3.2/refusal-stays'];

/** The endpoints on which a server errs: by requests that no case sends, or as its row says. */
async function placesOf({ shows, alter, only }: FaultyServer): Promise<readonly Endpoint[]> {
  if (shows) return shows;
  const places: Endpoint[] = [];
  for (const endpoint of ENDPOINTS)
    if ((only ?? endpoint) === endpoint && (await showsOn(endpoint, { alter })))
      places.push(endpoint);
  return places;
}

function noticedIn({ cases }: CheckResult): ReadonlySet<Endpoint> {
  const failing = cases.filter(({ outcome }) => outcome === 'failed' || outcome === 'follows');
  return new Set(failing.flatMap(({ failedEndpoints }) => failedEndpoints));
}

async function checked(faulty: FaultyServer) {
  const places = await placesOf(faulty);
  const skip = FAULTY.indexOf(faulty) % WHOLE_OF === 0 ? [] : longCasesBeside(faulty.name);
  const result = await checkFaulty(faulty, skip);
  const noticed = noticedIn(result);
  const isFree = (endpoint: Endpoint) => faulty.free?.on.includes(endpoint) === true;
  const missed: Endpoint[] = [];
  // one error can hide another one: planted on that endpoint alone it must be noticed there
  for (const only of places)
    if (!noticed.has(only) && !isFree(only))
      if (!noticedIn(await checkFaulty({ ...faulty, only }, skip)).has(only)) missed.push(only);
  return { places, result, missed, accused: [...noticed].filter(isFree) };
}

function expectFirst(faulty: FaultyServer, result: CheckResult): void {
  const { name, isByChance, meetsAnyCase, says } = faulty;
  const { findings } = foundIn(result);
  const ids = findings.map(caseOf);
  const related = [...casesThatFind(name), ...(isByChance ? SENT_AGAIN_LATER : [])];
  if (!meetsAnyCase) expect(ids.filter((id) => !related.includes(id))).toEqual([]);
  if (isByChance) expect(ids.length).toBeGreaterThan(0);
  else expect(findings[0]).toBe(FOUND[name]?.findings[0]);
  if (says) expect(saidIn(result)).toMatch(says);
}

/** What the findings observe, and what causes they name. */
function saidIn({ findings }: CheckResult): string {
  return findings.flatMap(({ observed, cause }) => [observed, cause ?? '']).join('\n');
}

/** Checks each server once: what is wrong is the first finding, on each endpoint where it is, and nothing unrelated fails. */
export function expectFound(all: readonly FaultyServer[]): void {
  const results = eachOf(all, checked);
  describe('one finding first for a server that', { timeout: 600_000 }, () => {
    for (const [faulty, promise] of results) {
      test(`${faulty.name} (${faulty.section})`, async () => {
        const { places, result, missed, accused } = await promise;
        expect(places.length, 'it changes no answer').toBeGreaterThan(0);
        expect(FOUND[faulty.name], 'run `npm run found`, and look at the difference').toBeDefined();
        expectFirst(faulty, result);
        expect(missed, 'nobody notices it there').toEqual([]);
        expect(accused, 'the specification leaves this open').toEqual([]);
        if (result.findings.length === 0) return;
        expect(exitCodeOf(result)).toBe(1);
        const report = renderReport('pretty', result, { brief: true }).split('\n');
        expect(report.length).toBeLessThanOrEqual(LINES_MAX * result.findings.length);
      });
    }
  });
}
