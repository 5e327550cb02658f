import { readFileSync } from 'node:fs';
import { type CheckResult, check } from '../../src/check/index.ts';
import { checkIn } from '../../src/check/run/run.ts';
import type { Fault } from './faults/faulty-server.ts';
import { type ServerOptions, startServer } from './reference/server.ts';
import { virtualServer } from './reference/virtual-world.ts';

/** What a check finds in a faulty server: the first finding is its root. */
export interface Found {
  /** As `4/good-ticket@validate,consume`; none where the specification leaves the fault open. */
  readonly findings: readonly string[];
  /** Ids of the cases that only follow. */
  readonly followers: readonly string[];
}

/** An entry of found.json: what was found, and in what. */
interface KeptFound extends Found {
  /** The hash of the faulty server's source at that time, as `fingerprints` makes it. */
  readonly source?: string;
}

const FILE = new URL('found.json', import.meta.url);

/** What `npm run found` saw in each faulty server, and somebody looked at as a difference. */
export const FOUND: Readonly<Record<string, KeptFound>> = JSON.parse(readFileSync(FILE, 'utf8'));

/** The id of the case of a finding. */
export const caseOf = (finding: string): string => finding.split('@')[0] ?? '';

/** The ids of the cases that fail for a faulty server, roots first. */
export function casesThatFind(name: string): string[] {
  const { findings = [], followers = [] } = FOUND[name] ?? {};
  return [...findings.map(caseOf), ...followers];
}

/** Half of the requests of a check: codes and uses by the hundred. */
export const LONG_CASES = [
  '2.2/forged-code',
  '3.2/card-of-100-up-to-its-limit',
  '3.2/race',
] as const;

/** The long cases that none of these faulty servers fails. */
export function longCasesBeside(...names: readonly string[]): readonly string[] {
  const failing = names.flatMap(casesThatFind);
  return LONG_CASES.filter((id) => !failing.includes(id));
}

export type CheckedServer = Awaited<ReturnType<typeof startServer>>;

/** Checks a server made from the options, by every case but those on rate limits. */
export async function checkServer(
  options: ServerOptions,
  how: (server: CheckedServer) => object = ({ keyHooks }) => ({ keyHooks }),
): Promise<CheckResult> {
  const server = await startServer(options);
  const { baseUrl, target } = server;
  try {
    return await check({ baseUrl, target, consume: true, maxRate: 5000, ...how(server) });
  } finally {
    await server.close();
  }
}

/** Checks a server without some of the cases. */
export const checkWhole = (fault: Fault, skip: readonly string[] = []): Promise<CheckResult> =>
  checkServer(fault, ({ keyHooks }) => ({ keyHooks, skip }));

/** The same in virtual time, without sockets: what a server does by its clock then never depends on the machine. */
export function checkInVirtualTime(
  fault: Fault,
  skip: readonly string[] = [],
): Promise<CheckResult> {
  const { world, baseUrl, target, keyHooks } = virtualServer(fault);
  const how = { baseUrl, target, consume: true, maxRate: 5000, keyHooks, skip };
  return world.run(checkIn(world, how));
}

/** What a result says, in the form of found.json. Warnings and what they explain are left out. */
export function foundIn({ findings, cases }: CheckResult): Found {
  const failed = findings.filter(({ outcome }) => outcome === 'failed');
  return {
    findings: failed.map(({ id, endpoints }) => `${id}@${endpoints.join(',')}`),
    followers: cases.filter(({ outcome }) => outcome === 'follows').map(({ id }) => id),
  };
}

/**
 * Works through all of them in their order, several at a time: many wait for seconds.
 * @returns the result of each, for the test of its own
 */
export function eachOf<One, Result>(
  all: readonly One[],
  work: (one: One) => Promise<Result>,
  atOnce = 8,
): ReadonlyMap<One, Promise<Result>> {
  const waiting = all.map((one) => ({ one, ...Promise.withResolvers<Result>() }));
  const queue = waiting.values();
  const worker = async () => {
    for (const { one, resolve, reject } of queue) await work(one).then(resolve, reject);
  };
  for (let i = 0; i < atOnce; i += 1) void worker();
  return new Map(waiting.map(({ one, promise }) => [one, promise]));
}
