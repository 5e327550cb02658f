import type { PlantedBug } from '../planted/bug.ts';

/** A mistake that somebody could really make; a run must find what it breaks. */
export interface SplitMistake extends Pick<PlantedBug, 'name' | 'edits'> {
  /** What has to happen in the run for it. */
  readonly needs?: 'restores' | 'lost answers';
}

const HOME = 'core/event-home.ts';
const STORE = 'stores/sql/sites.ts';
const HELD = 'features/sites/held-events.ts';
const AGENT = 'features/sites/agent.ts';

export const SPLIT_MISTAKES: readonly SplitMistake[] = [
  {
    name: 'a centre that gives an event away and lets scans go on that know its old home',
    edits: [
      {
        file: 'stores/sql/write.ts',
        text: 'if (movesHome || records.length > 0) await moveRevision(sql);',
        becomes: 'if (records.length > 0) await moveRevision(sql);',
      },
    ],
  },
  {
    name: 'a centre that does not wait for the rows of a closed event',
    edits: [
      {
        file: HOME,
        text: ' && word.isClosed && stored >= word.newest',
        becomes: ' && word.isClosed',
      },
    ],
  },
  {
    name: 'a centre that counts repeated rows again',
    needs: 'lost answers',
    edits: [
      {
        file: HOME,
        text: "if (number <= stored) return 'known';\n  return after === stored ? 'next' : 'gap';",
        becomes: "return number < 0 && after === stored ? 'gap' : 'next';",
      },
    ],
  },
  {
    name: 'a site that decides an event which comes again on the uses of an earlier stay',
    edits: [
      {
        file: HELD,
        text: 'const missing = await this.#clear(event, stored);',
        becomes: 'const missing = stored < 0 ? await this.#clear(event, stored) : undefined;',
      },
      {
        file: STORE,
        text: 'if (held?.isOpen || (await hasTickets(sql, eventId)) || (await isGone(sql, eventId)))',
        becomes:
          'if (held?.isOpen && (await hasTickets(sql, eventId)) && (await isGone(sql, eventId)))',
      },
      // What the centre counted meanwhile is not written over what is left.
      {
        file: STORE,
        text: 'if (!inserted.has(ticket.id)) await update(sql, TICKETS, ticket);',
        becomes:
          'if (!inserted.has(ticket.id) && copiedIn === undefined) await update(sql, TICKETS, ticket);',
      },
      // It comes again before it was forgotten.
      {
        file: HELD,
        text: 'else if (await this.#forget(event, stored)) continue;',
        becomes: 'else if (stored < 0) continue;',
      },
    ],
  },
  {
    name: 'a site that forgets the epoch of its rows',
    edits: [
      {
        file: HOME,
        text: '&& number > held.after ? held.epoch : 0;',
        becomes: '&& number > held.after ? 1 : 0;',
      },
    ],
  },
  {
    name: 'a restored site that keeps its events',
    needs: 'restores',
    edits: [
      {
        file: 'features/store/staged-backup.ts',
        text: 'await store.forgetSite();',
        becomes: '',
      },
      {
        file: AGENT,
        text: 'if (why === undefined) return this.#rows().heard(stored);',
        becomes: 'if (stored < Number.POSITIVE_INFINITY) return this.#rows().heard(0);',
      },
      {
        file: 'features/sites/last-row.ts',
        text: 'this.#areOthers = !(await hasRow(this.#store, last));',
        becomes: 'await hasRow(this.#store, last);',
      },
      // Nobody frees what seems to be there.
      {
        file: 'features/sites/rules.ts',
        text: '(now: Home) => freed(now, site.id) ?? now;',
        becomes: '(now: Home) => now;',
      },
    ],
  },
];
