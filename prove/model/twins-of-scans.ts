import { RIGHT } from './rules.ts';
import type { Entry } from './store.ts';
import { deciding, fromCounter, right, seeing, type Twin } from './twin.ts';

/** Faults that requests show, and steps of the clock. */
export const OF_SCANS: readonly Twin[] = [
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
      const ofCode = ({ name }: Entry) => name.startsWith('request') === (asked.scan.code === 1);
      const [after, answer] = fromCounter(asked, log.filter(ofCode).length);
      return [{ ...after, used: used + after.log.length - log.length }, answer];
    }),
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
    rules: deciding((asked) => {
      const [store, answer] = seeing(asked, { lastUse: 0 });
      return [answer.status === 'consumed' ? store : right(asked)[0], answer];
    }),
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
    name: 'answers an unknown commit with a denial',
    shownBy: 'requests',
    rules: {
      ...RIGHT,
      tellOpen: ({ used }) => ({ status: 'exhausted', used, entry: -1 }),
    },
  },
  {
    name: 'decides again where a commit is unknown',
    shownBy: 'requests',
    rules: { ...RIGHT, decidesAgain: true },
  },
  {
    name: 'gives a request the answer of another that has the same first letters',
    shownBy: 'requests',
    rules: deciding((asked) => {
      const { name } = asked.scan;
      const isLike = (other: string) => name !== '' && other.startsWith(name);
      const answers = asked.store.answers.map((one) => (isLike(one.name) ? { ...one, name } : one));
      const [store, answer] = seeing(asked, { answers });
      return store.log === asked.store.log ? [asked.store, answer] : [store, answer];
    }),
  },
  {
    name: 'tells with a denial one use too few',
    shownBy: 'requests',
    rules: deciding((asked) => {
      const [store, answer] = right(asked);
      return [store, answer.status === 'exhausted' ? { ...answer, used: answer.used - 1 } : answer];
    }),
  },
  {
    name: 'promotes a standby that had not everything',
    shownBy: 'requests',
    rules: { ...RIGHT, standby: 'late' },
  },
];
