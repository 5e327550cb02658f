import { COUNTER_TWINS } from './counters.ts';
import { LEAK_TWINS } from './leaks.ts';
import { MEMORY_TWINS } from './memory.ts';
import { RACE_TWINS } from './races.ts';
import type { HistoryTwin } from './twin.ts';

/** Every server whose fault only a history shows. */
export const HISTORY_TWINS: readonly HistoryTwin[] = [
  ...MEMORY_TWINS,
  ...COUNTER_TWINS,
  ...RACE_TWINS,
  ...LEAK_TWINS,
];
