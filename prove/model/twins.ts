import type { SHOWN_BY } from './bounds.ts';
import { type Answer, type Entry, type Store, scan } from './store.ts';
import { type Asked, RIGHT, type Rules } from './system.ts';

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
    rules: { ...RIGHT, tellOpen: (_store, _after, answer) => answer },
  },
  {
    name: 'counts uses by code instead of by ticket',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      decide(asked) {
        const { used, log } = asked.store;
        const ofCode = ({ name }: Entry) => (name === 'request') === (asked.scan.code === 1);
        const [after, answer] = fromCounter(asked, log.filter(ofCode).length);
        return [{ ...after, used: used + after.log.length - log.length }, answer];
      },
    },
  },
  {
    name: 'remembers a key after it was disabled',
    shownBy: 'change',
    rules: {
      ...RIGHT,
      remembers: true,
      decide(asked) {
        const [store, answer] = asked.memory === 0 ? right(asked) : withAnyKey(asked);
        return [store, answer, answer.status === 'key_refused' ? 0 : 1];
      },
    },
  },
  {
    name: 'ignores that a ticket was cancelled',
    shownBy: 'change',
    rules: {
      ...RIGHT,
      decide(asked) {
        const { cancelled } = asked.store;
        const [store, answer] = right({ ...asked, store: { ...asked.store, cancelled: false } });
        return [{ ...store, cancelled }, answer];
      },
    },
  },
  {
    name: 'registers the uses of devices without a log entry',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      decide(asked) {
        const [store, answer] = right(asked);
        return [asked.scan.device ? { ...store, log: asked.store.log } : store, answer];
      },
    },
  },
  {
    name: 'logs the uses of devices without counting them',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      decide(asked) {
        const [store, answer] = right(asked);
        return [asked.scan.device ? { ...store, used: asked.store.used } : store, answer];
      },
    },
  },
  {
    name: 'counts a retried request twice',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      decide: (asked) => right({ ...asked, store: { ...asked.store, answers: [] } }),
    },
  },
  {
    name: 'gives a stored answer again after the clock was set back',
    shownBy: 'clock',
    rules: {
      ...RIGHT,
      decide(asked) {
        const answers = asked.store.answers.map((one) => ({
          ...one,
          at: Math.min(one.at, asked.now),
        }));
        return right({ ...asked, store: { ...asked.store, answers } });
      },
    },
  },
  {
    name: 'takes the cards at devices without a serial for repeats of one another',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      decide(asked) {
        const name = asked.scan.device ? 'card' : asked.scan.name;
        return right({ ...asked, scan: { ...asked.scan, name } });
      },
    },
  },
  {
    name: 'allows one use too many',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      decide: (asked) =>
        right({ ...asked, terms: { ...asked.terms, usesAllowed: asked.terms.usesAllowed + 1 } }),
    },
  },
  {
    name: 'admits after the end of the window',
    shownBy: 'clock',
    rules: {
      ...RIGHT,
      decide: (asked) => right({ ...asked, terms: { ...asked.terms, validUntil: Infinity } }),
    },
  },
  {
    name: 'spends a use on a look',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      decide(asked) {
        const [store, answer] = right(asked);
        if (answer.status !== 'validated') return [store, answer];
        return [right({ ...asked, scan: { ...asked.scan, operation: 'consume' } })[0], answer];
      },
    },
  },
  {
    name: 'gives the answers of a batch to the wrong requests',
    shownBy: 'requests',
    rules: { ...RIGHT, mixesAnswers: true },
  },
  {
    name: 'lets wall time run backwards within a ticket',
    shownBy: 'clock',
    rules: {
      ...RIGHT,
      decide: (asked) => right({ ...asked, store: { ...asked.store, lastUse: 0 } }),
    },
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
    rules: { ...RIGHT, rotate: (store, now) => RIGHT.rotate(store, now, 1) },
  },
  {
    name: 'keeps two values of a key that was rotated twice',
    shownBy: 'changes',
    rules: {
      ...RIGHT,
      decide(asked) {
        const { key } = asked.store;
        const value = asked.scan.value < key.value ? key.value - 1 : asked.scan.value;
        return right({ ...asked, scan: { ...asked.scan, value } });
      },
    },
  },
  {
    name: 'gives a stored answer again after its event was deleted',
    shownBy: 'change',
    rules: {
      ...RIGHT,
      remove: (store) => ({ ...store, gone: true }),
      decide(asked) {
        const isKept = asked.store.answers.some(({ name }) => name === asked.scan.name);
        const store = { ...asked.store, gone: asked.store.gone && !isKept };
        const [after, answer] = right({ ...asked, store });
        return [{ ...after, gone: asked.store.gone }, answer];
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
    rules: {
      ...RIGHT,
      decide(asked) {
        const { cancelled } = asked.store;
        const isSeen = cancelled && asked.scan.name === '';
        const [store, answer] = right({ ...asked, store: { ...asked.store, cancelled: isSeen } });
        return [{ ...store, cancelled }, answer];
      },
    },
  },
  {
    name: 'admits before the beginning of the window',
    shownBy: 'clock',
    rules: {
      ...RIGHT,
      decide: (asked) => right({ ...asked, terms: { ...asked.terms, validFrom: 0 } }),
    },
  },
  {
    name: 'says of a ticket that is used up that it is good',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      decide(asked) {
        const [store, answer] = right(asked);
        const isLook = asked.scan.operation === 'validate' && answer.status === 'exhausted';
        return [store, isLook ? { ...answer, status: 'validated' } : answer];
      },
    },
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

function right({ store, scan: asked, now, terms }: Asked): [Store, Answer] {
  return scan(store, asked, now, terms);
}

/** Decides by another counter than the store's, and writes what comes of it. */
function fromCounter(asked: Asked, used: number): [Store, Answer] {
  return right({ ...asked, store: { ...asked.store, used } });
}

function withAnyKey(asked: Asked): [Store, Answer] {
  const { key } = asked.store;
  const store = { ...asked.store, key: { ...key, active: true, value: asked.scan.value } };
  const [after, answer] = right({ ...asked, store });
  return [{ ...after, key }, answer];
}
