import type { SHOWN_BY } from './bounds.ts';
import { type Asked, RIGHT, type Rules } from './rules.ts';
import { type Answer, type Entry, type Key, type Store, scan } from './store.ts';

/** A faulty service; the search must find what it breaks. */
export interface Twin {
  /** As in prove/planted/bugs.ts, where the same mistake is planted into the program; its own where it is not. */
  readonly name: string;
  readonly shownBy: keyof typeof SHOWN_BY;
  readonly rules: Rules;
}

/** Planted bugs that a model of one ticket has no twin of: they need a disk, or a bucket. */
export const WITHOUT_TWIN: readonly string[] = [
  'never syncs',
  'syncs at checkpoints only',
  'fills the bucket twice as high as the limit says',
  'lets one request through above the quota',
];

export const TWINS: readonly Twin[] = [
  {
    name: 'reads the tickets of a batch, then writes',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      read: ({ used }) => used,
      decide: (asked) => fromCounter(asked, asked.read),
    },
  },
  {
    name: 'keeps the counters in the process and never looks at what others wrote',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      remembers: true,
      decide(asked) {
        const counted = asked.memory === 0 ? asked.store.used : asked.memory - 1;
        const [after, answer] = fromCounter(asked, counted);
        return [after, answer, answer.used + 1];
      },
    },
  },
  {
    name: 'answers before it commits',
    shownBy: 'requests',
    rules: { ...RIGHT, tellOpen: (answer) => answer },
  },
  {
    name: 'counts uses by code instead of by ticket',
    shownBy: 'requests',
    rules: deciding((asked) => {
      const { used, log } = asked.store;
      const ofCode = ({ name }: Entry) => (name === 'request') === (asked.scan.code === 1);
      const [after, answer] = fromCounter(asked, log.filter(ofCode).length);
      return [{ ...after, used: used + after.log.length - log.length }, answer];
    }),
  },
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
    name: 'registers the uses of devices without a log entry',
    shownBy: 'requests',
    rules: deciding((asked) => {
      const [store, answer] = right(asked);
      return [asked.scan.device ? { ...store, log: asked.store.log } : store, answer];
    }),
  },
  {
    name: 'logs the uses of devices without counting them',
    shownBy: 'requests',
    rules: deciding((asked) => {
      const [store, answer] = right(asked);
      return [asked.scan.device ? { ...store, used: asked.store.used } : store, answer];
    }),
  },
  {
    name: 'counts a retried request twice',
    shownBy: 'requests',
    rules: deciding((asked) => seeing(asked, { answers: [] })),
  },
  {
    name: 'gives a stored answer again after the clock was set back',
    shownBy: 'clock',
    rules: deciding((asked) => {
      const answers = asked.store.answers.map((one) => ({
        ...one,
        at: Math.min(one.at, asked.now),
      }));
      return seeing(asked, { answers });
    }),
  },
  {
    name: 'takes the cards at devices without a serial for repeats of one another',
    shownBy: 'requests',
    rules: deciding((asked) => {
      const name = asked.scan.device ? 'card' : asked.scan.name;
      return right({ ...asked, scan: { ...asked.scan, name } });
    }),
  },
  {
    name: 'allows one use too many',
    shownBy: 'requests',
    rules: deciding((asked) =>
      right({ ...asked, terms: { ...asked.terms, usesAllowed: asked.terms.usesAllowed + 1 } }),
    ),
  },
  {
    name: 'admits after the end of the window',
    shownBy: 'clock',
    rules: deciding((asked) =>
      right({ ...asked, terms: { ...asked.terms, validUntil: Infinity } }),
    ),
  },
  {
    name: 'refuses a guest before the end of the window',
    shownBy: 'clock',
    rules: deciding((asked) => right({ ...asked, terms: { ...asked.terms, validUntil: 1 } })),
  },
  {
    name: 'spends a use on a look',
    shownBy: 'requests',
    rules: deciding((asked) => {
      const [store, answer] = right(asked);
      if (answer.status !== 'validated') return [store, answer];
      return [right({ ...asked, scan: { ...asked.scan, operation: 'consume' } })[0], answer];
    }),
  },
  {
    name: 'gives the answers of a batch to the wrong requests',
    shownBy: 'requests',
    rules: { ...RIGHT, mixesAnswers: true },
  },
  {
    name: 'lets wall time run backwards within a ticket',
    shownBy: 'clock',
    rules: deciding((asked) => seeing(asked, { lastUse: 0 })),
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
    name: 'admits before the beginning of the window',
    shownBy: 'clock',
    rules: deciding((asked) => right({ ...asked, terms: { ...asked.terms, validFrom: 0 } })),
  },
  {
    name: 'says of a ticket that is used up that it is good',
    shownBy: 'requests',
    rules: deciding((asked) => {
      const [store, answer] = right(asked);
      const isLook = asked.scan.operation === 'validate' && answer.status === 'exhausted';
      return [store, isLook ? { ...answer, status: 'validated' } : answer];
    }),
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
    name: 'decides the repeat of a denial anew',
    shownBy: 'clock',
    rules: deciding((asked) =>
      seeing(asked, {
        answers: asked.store.answers.filter(({ answer }) => answer.entry >= 0),
      }),
    ),
  },
  {
    name: 'gives a stored answer again after its time',
    shownBy: 'clock',
    rules: deciding((asked) =>
      right({ ...asked, terms: { ...asked.terms, keptFor: () => Infinity } }),
    ),
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
    name: 'answers an unknown commit with a denial',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      tellOpen: ({ used }) => ({ status: 'exhausted', used, entry: -1 }),
    },
  },
  {
    name: 'promotes a standby that had not everything',
    shownBy: 'requests',
    rules: { ...RIGHT, standby: 'late' },
  },
];

function deciding(decide: Rules['decide']): Rules {
  return { ...RIGHT, decide };
}

/** Decides rightly on a store that it sees otherwise. @returns the store with its own flags again */
function seeing(asked: Asked, seen: Partial<Store>): [Store, Answer] {
  const { cancelled, gone, key } = asked.store;
  const [after, answer] = right({ ...asked, store: { ...asked.store, ...seen } });
  return [{ ...after, cancelled, gone, key }, answer];
}

function right({ store, scan: asked, now, terms }: Asked): [Store, Answer] {
  return scan(store, asked, now, terms);
}

/** Decides by another counter than the store's, and writes what comes of it. */
function fromCounter(asked: Asked, used: number): [Store, Answer] {
  return seeing(asked, { used });
}

function withKey(asked: Asked, seen: Partial<Key>): [Store, Answer] {
  return seeing(asked, { key: { ...asked.store.key, ...seen } });
}
