import type { FeedQuestion } from '../../src/features/sites/wire.ts';

/** What a new site asks at its first contact. */
export const FIRST_QUESTION: FeedQuestion = {
  incarnation: '0123456789abcdef',
  site: '',
  now: Date.UTC(2027, 0, 1),
  feed: '',
  applied: 0,
  digest: '',
  recordsAsOf: null,
  held: [],
  waiting: 0,
  contacts: [],
  refusals: { digest: '', counts: null },
  waitSeconds: 0,
};
