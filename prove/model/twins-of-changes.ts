import { RIGHT } from './rules.ts';
import { usesIn } from './store.ts';
import { deciding, right, seeing, type Twin, withKey } from './twin.ts';

/** Faults that show when an administrator changes something. */
export const OF_CHANGES: readonly Twin[] = [
  {
    name: 'remembers a key after it was disabled',
    shownBy: 'change',
    rules: {
      ...RIGHT,
      remembers: true,
      decide(asked) {
        const [store, answer] =
          asked.memory === 0
            ? right(asked)
            : withKey(asked, { active: true, value: asked.scan.value });
        return [store, answer, answer.status === 'key_refused' ? 0 : 1];
      },
    },
  },
  {
    name: 'ignores that a ticket was cancelled',
    shownBy: 'change',
    rules: deciding((asked) => seeing(asked, { cancelled: false })),
  },
  {
    name: 'gives a stored answer again after its use was taken back',
    shownBy: 'change',
    rules: {
      ...RIGHT,
      undo: (store, entry) => ({ ...RIGHT.undo(store, entry), answers: store.answers }),
    },
  },
  {
    name: 'takes a use back without counting it',
    shownBy: 'change',
    rules: {
      ...RIGHT,
      undo: (store, entry) => ({ ...RIGHT.undo(store, entry), used: store.used }),
    },
  },
  {
    name: 'keeps the value of a key that was rotated without an overlap',
    shownBy: 'changes',
    rules: { ...RIGHT, rotate: (key, now) => RIGHT.rotate(key, now, 1) },
  },
  {
    name: 'ends the value of a key at a time, which a clock that is set back has before it',
    shownBy: 'both',
    rules: {
      ...RIGHT,
      rotate: (key, now, overlap) => ({
        ...RIGHT.rotate(key, now, overlap),
        previousUntil: now + overlap,
      }),
    },
  },
  {
    name: 'keeps two values of a key that was rotated twice',
    shownBy: 'changes',
    rules: deciding((asked) => {
      const { key } = asked.store;
      const value = asked.scan.value < key.value ? key.value - 1 : asked.scan.value;
      return right({ ...asked, scan: { ...asked.scan, value } });
    }),
  },
  {
    name: 'gives a stored answer again after its event was deleted',
    shownBy: 'change',
    rules: {
      ...RIGHT,
      remove: (store) => ({ ...store, gone: true }),
      decide(asked) {
        const isKept = asked.store.answers.some(({ name }) => name === asked.scan.name);
        return seeing(asked, { gone: asked.store.gone && !isKept });
      },
    },
  },
  {
    name: 'deletes an event without a mark that scans see',
    shownBy: 'change',
    rules: { ...RIGHT, remove: (store) => store },
  },
  {
    name: 'ignores that a ticket was cancelled for requests with a name',
    shownBy: 'change',
    rules: deciding((asked) =>
      asked.scan.name ? seeing(asked, { cancelled: false }) : right(asked),
    ),
  },
  {
    name: 'takes the value before the present one at the end of its overlap',
    shownBy: 'both',
    rules: deciding((asked) =>
      withKey(asked, { previousUntil: asked.store.key.previousUntil + 1 }),
    ),
  },
  {
    name: 'refuses the value before the present one in its overlap',
    shownBy: 'change',
    rules: deciding((asked) => withKey(asked, { previousUntil: 0 })),
  },
  {
    name: 'admits to an event that its key has lost',
    shownBy: 'change',
    rules: deciding((asked) => withKey(asked, { inScope: true })),
  },
  {
    name: 'says why a ticket is refused in another order',
    shownBy: 'both',
    rules: deciding((asked) => {
      const [store, answer] = right(asked);
      const isEarly = asked.now > asked.terms.validUntil && answer.status === 'ticket_cancelled';
      return [store, isEarly ? { ...answer, status: 'expired' } : answer];
    }),
  },
  {
    name: 'takes the last use back, whichever was named',
    shownBy: 'change',
    rules: { ...RIGHT, undo: (store) => RIGHT.undo(store, usesIn(store).at(-1) ?? 0) },
  },
  {
    name: 'drops the answers of a use that it does not take back',
    shownBy: 'change',
    rules: {
      ...RIGHT,
      undo: (store, entry) => ({ ...store, answers: RIGHT.undo(store, entry).answers }),
    },
  },
  {
    name: 'enables a disabled key that it rotates',
    shownBy: 'changes',
    rules: {
      ...RIGHT,
      rotate: (key, now, overlap) => ({ ...RIGHT.rotate(key, now, overlap), active: true }),
    },
  },
  {
    name: 'moves the time of the last use at a look',
    shownBy: 'both',
    rules: deciding((asked) => {
      const [store, answer] = right(asked);
      return [answer.status === 'validated' ? { ...store, lastUse: asked.now } : store, answer];
    }),
  },
];
