import type { LogEntry, Page } from './types.ts';
import { type Pages, usePages } from './use-pages.ts';

/** A page of the log may be short and yet have a next: one answer examines a limited number of entries. */
export interface LogPage extends Page<LogEntry> {
  readonly searchedBackTo: number;
}

const ENTRIES_PER_PAGE = 50;

/** The scan log, newest first, page by page. */
export function useLogPages(filter: Record<string, string | undefined>): Pages<LogPage> {
  return usePages<LogEntry, LogPage>('/log', { ...filter, limit: ENTRIES_PER_PAGE }, 'before');
}
