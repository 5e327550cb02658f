import { type ExploreOptions, type ExploreResult, explore } from '../../src/check/index.ts';
import { monthOf } from '../../src/core/clock.ts';
import type { MemoryStore } from '../../src/stores/sqlite/memory-store.ts';
import {
  EXPLORED_LIMITS,
  type ExploredService,
  NO_LIMITS,
} from '../../test/support/explored-service.ts';
import { judgeRecord } from '../history/check-history.ts';
import type { StoreFacts } from '../history/facts.ts';
import type { Problem } from '../history/problem.ts';
import { readFacts } from '../history/read-facts.ts';
import { historyFrom } from '../history/record.ts';
import { readPostgresFacts } from '../postgres/facts.ts';
import { memoryFacts } from '../simulation/memory-facts.ts';
import { recordSince } from '../world/judge.ts';
import type { Recorder } from '../world/recorder.ts';
import { writeDown } from './sent-scans.ts';

export interface JudgedExploration {
  /** What the explorer says. */
  readonly result: ExploreResult;
  /** What the judge of records says. */
  readonly problems: readonly Problem[];
  /** Answers that it had. */
  readonly judged: number;
}

/** The others have no key that holds, or are abandoned before their answer. */
const JUDGED_SHARE_MIN = 0.6;

/**
 * Explores our own service and stops it. What the explorer sent and heard is written down, and also held against the store, by a
 * judge that shares no code with explorer and service.
 * @throws Error when the record is too short to judge
 */
export async function exploreAndJudge(
  service: ExploredService,
  { budget, ...options }: ExploreOptions & { readonly budget: number },
): Promise<JudgedExploration> {
  const { port, target } = service;
  const baseUrl = options.baseUrl ?? `http://127.0.0.1:${port}`;
  const months = [monthOf(Date.now())];
  const recorder = recordSince(await factsOf(service, months));
  addKeys(recorder, service);
  const isOver = writeDown(recorder, service, new URL(baseUrl).origin);
  const whole = { limits: NO_LIMITS, consume: true, ...options, target, baseUrl, budget };
  const result = await explore(whole).finally(isOver);
  await service.stop();
  const history = historyFrom(recorder.lines);
  const judged = history.operations.filter(
    ({ action, outcome }) =>
      outcome !== 'unknown' && (action === 'consume' || action === 'validate'),
  ).length;
  months.push(monthOf(Date.now()));
  // What finds something ends early.
  const answersMin = result.failure ? 1 : budget * JUDGED_SHARE_MIN;
  const problems = judgeRecord(history, await factsOf(service, months), answersMin);
  return { result, problems, judged };
}

async function factsOf(service: ExploredService, months: readonly number[]): Promise<StoreFacts> {
  const { engine, storeUrl, store, keys } = service;
  if (engine === 'sqlite' || engine === 'json') return readFacts(storeUrl);
  if (engine === 'postgres') return readPostgresFacts(storeUrl);
  const ids = keys.map(({ id }) => id);
  return memoryFacts(store as MemoryStore, ids, [...new Set(months)]);
}

/** What each key allows; those that do not hold were disabled or deleted before. */
function addKeys(recorder: Recorder, { keys }: ExploredService): void {
  for (const { id: key, active, isDeleted } of keys) {
    recorder.add({ type: 'limits', key, ...EXPLORED_LIMITS });
    if (active && !isDeleted) continue;
    const action = isDeleted ? 'delete' : 'disable';
    recorder.answer(recorder.invoke({ action, key }), { type: 'ok', status: 'changed' });
  }
}
