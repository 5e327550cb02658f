import { readFileSync } from 'node:fs';
import { type CheckResult, check, type Endpoint } from '../../src/check/index.ts';
import { type ServerOptions, startServer } from './reference/server.ts';
import { KEY_CHANGE_TWINS } from './twins/3.1-key-changes.ts';
import { TWINS } from './twins/index.ts';
import { ONE_ENDPOINT_TWINS } from './twins/one-endpoint.ts';
import type { Twin } from './twins/twin.ts';

/** A faulty server, on one endpoint alone or on all. */
export type Faulty = Pick<Twin, 'name' | 'fault' | 'alter' | 'write'> & {
  readonly endpoint?: Endpoint;
};

/** Every faulty server that a check without rate limits must find. */
export const FAULTY: readonly Faulty[] = [...TWINS, ...KEY_CHANGE_TWINS, ...ONE_ENDPOINT_TWINS];

/** What a check finds in a faulty server: the first finding is its root. */
export interface Found {
  /** As `4/good-ticket@validate,consume`; none where the specification leaves the fault open. */
  readonly findings: readonly string[];
  /** Ids of the cases that only follow. */
  readonly followers: readonly string[];
}

const FILE = new URL('found.json', import.meta.url);

/** What `npm run found` saw in each faulty server, and somebody looked at as a difference. */
export const FOUND: Readonly<Record<string, Found>> = JSON.parse(readFileSync(FILE, 'utf8'));

/** The ids of the cases that fail for a faulty server, roots first. */
export function casesThatFind(name: string): string[] {
  const { findings = [], followers = [] } = FOUND[name] ?? {};
  return [...findings.map((one) => one.split('@')[0] ?? ''), ...followers];
}

/** Half of the requests of a check: codes and uses by the hundred. */
const LONG_CASES = ['2.2/forged-code', '3.2/card-of-100-up-to-its-limit', '3.2/race'] as const;

/** The long cases that none of these faulty servers fails. */
export function longCasesBeside(...names: readonly string[]): readonly string[] {
  const failing = names.flatMap(casesThatFind);
  return LONG_CASES.filter((id) => !failing.includes(id));
}

/** Runs every case but those on rate limits and the given ones on a server. */
export async function checkWhole(
  options: ServerOptions,
  skip: readonly string[] = [],
): Promise<CheckResult> {
  const server = await startServer(options);
  const { baseUrl, target, keyHooks } = server;
  try {
    return await check({ baseUrl, target, keyHooks, consume: true, maxRate: 5000, skip });
  } finally {
    await server.close();
  }
}

/** Checks a faulty server. */
export function checkFaulty(
  { alter, write, endpoint }: Faulty,
  skip?: readonly string[],
): Promise<CheckResult> {
  return checkWhole({ alter, ...(write ? { write } : {}), only: endpoint }, skip);
}

/** What a result says, in the form of found.json. Warnings and what they explain are left out. */
export function foundIn({ findings, cases }: CheckResult): Found {
  const failed = findings.filter(({ outcome }) => outcome === 'failed');
  return {
    findings: failed.map(({ id, endpoints }) => `${id}@${endpoints.join(',')}`),
    followers: cases.filter(({ outcome }) => outcome === 'follows').map(({ id }) => id),
  };
}

const TURNS = 3;
const DAY_MS = 86_400_000;

/** A third of them, another one each day; all of them with `TICKETSCAN_FAULTY=all`. */
export function todaysPart<One>(all: readonly One[]): readonly One[] {
  if (process.env['TICKETSCAN_FAULTY'] === 'all') return all;
  const turn = Math.floor(Date.now() / DAY_MS) % TURNS;
  return all.filter((_, index) => index % TURNS === turn);
}

/** Works through all of them, several at a time: many wait for seconds. */
export async function eachOf<One>(
  all: readonly One[],
  work: (one: One) => Promise<void>,
  atOnce = 8,
): Promise<void> {
  const queue = all.values();
  const worker = async () => {
    for (const one of queue) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
