import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { judgeRecord } from '../history/check-history.ts';
import type { StoreFacts } from '../history/facts.ts';
import type { Problem } from '../history/problem.ts';
import { readFacts } from '../history/read-facts.ts';
import { historyFrom } from '../history/record.ts';
import type { ProgramPlace } from './program.ts';
import { Recorder } from './recorder.ts';
import type { Sites, World } from './world.ts';

/** Begins a record with what the store holds now and what the world's keys may do. @param servers that run at once */
export function newRecord(world: World, storeUrl: string, servers = 1): Recorder {
  return recordFrom(world, readFacts(storeUrl), servers);
}

/** Begins a record like `newRecord`. @param buckets how many full buckets each key may have had in all */
export function recordFrom(sites: Sites, facts: StoreFacts, buckets: number): Recorder {
  const recorder = recordSince(facts);
  for (const { limits, keys } of [sites.open, sites.limited, sites.metered]) {
    for (const { id } of Object.values(keys))
      recorder.add({ type: 'limits', key: id, servers: buckets, ...limits });
  }
  return recorder;
}

/** Begins a record with what the store holds now. */
export function recordSince(facts: StoreFacts): Recorder {
  const recorder = new Recorder();
  recorder.add({
    type: 'start',
    sequence: facts.log.at(-1)?.sequence ?? 0,
    requests: requestsIn(facts),
    keys: Object.fromEntries([...facts.keys].filter(([, state]) => state !== 'active')),
  });
  recorder.clock(0);
  return recorder;
}

function requestsIn({ requests }: StoreFacts): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const one of requests) sums[one.key] = (sums[one.key] ?? 0) + one.requests;
  return sums;
}

/** Holds the record against the store, as it lies on the disk. */
export function problemsOf(recorder: Recorder, storeUrl: string): Problem[] {
  return judgeRecord(historyFrom(recorder.lines), readFacts(storeUrl));
}

/** Fails on the problems that there are now, as `mustHoldAll` does. */
export function mustHold(recorder: Recorder, place: ProgramPlace, what: string): void {
  mustHoldAll(problemsOf(recorder, place.storeUrl), recorder, place, what);
}

/**
 * Removes the folder of a run without problems; otherwise keeps it with its record.
 * @throws Error with the first problems and where to look
 */
export function mustHoldAll(
  problems: readonly Problem[],
  recorder: Recorder,
  place: ProgramPlace,
  what: string,
): void {
  if (problems.length === 0) {
    rmSync(place.folder, { recursive: true, force: true });
    return;
  }
  const path = join(place.folder, 'record.jsonl');
  recorder.save(path);
  const shown = problems.slice(0, 5).map(({ rule, text }) => `  ${rule}: ${text}`);
  throw new Error(
    `${what}: ${problems.length} broken promises\n${shown.join('\n')}\n` +
      `  see for yourself: node prove/history/main.ts --record ${path} --store ${place.storeUrl}`,
  );
}
