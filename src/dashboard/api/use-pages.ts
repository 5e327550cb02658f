import { useState } from 'react';
import { queryOf } from './http.ts';
import type { Page } from './types.ts';
import { useRead } from './use-api.ts';

export interface Pages<Answer> {
  readonly data: Answer | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  /** Counted from 1. */
  readonly number: number;
  readonly older: (() => void) | undefined;
  readonly newer: (() => void) | undefined;
}

/**
 * A long list, page by page: only one page is in memory and in the document, however long the list is.
 * @param cursorName the parameter that takes the place where a page begins
 */
export function usePages<Item, Answer extends Page<Item> = Page<Item>>(
  path: string,
  filter: Record<string, string | number | undefined>,
  cursorName: 'after' | 'before',
): Pages<Answer> {
  const filtered = JSON.stringify([path, filter]);
  const [position, setPosition] = useState({ filtered, cursors: [] as (string | number)[] });
  // Another filter is another list: it begins at its first page.
  const cursors = position.filtered === filtered ? position.cursors : [];
  const asked = useRead<Answer>(`${path}${queryOf({ ...filter, [cursorName]: cursors.at(-1) })}`);
  const goTo = (next: (string | number)[]) => setPosition({ filtered, cursors: next });
  const next = asked.data?.next ?? null;
  return {
    data: asked.data,
    error: asked.error,
    refetch: asked.refetch,
    number: cursors.length + 1,
    older: next === null ? undefined : () => goTo([...cursors, next]),
    newer: cursors.length === 0 ? undefined : () => goTo(cursors.slice(0, -1)),
  };
}
