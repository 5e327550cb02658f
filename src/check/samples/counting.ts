/** What every case takes for granted that follows a ticket through its uses. */
export const BEFORE_COUNTING: readonly string[] = [
  ...['4/good-ticket', '2.2/forged-code', '2.4/any-sender', '2.2/uses-allowed'],
];

/** The cases on counting: each takes those before it for granted. */
export const COUNTING_CASES: readonly string[] = [
  '3.2/validate-changes-nothing',
  '3.2/consume-counts-one',
  '3.2/single-only-once',
  '3.2/counter-is-shared',
  '3.2/tickets-count-apart',
  '3.2/keys-share-the-counter',
  '3.2/uses-on-one-connection',
  '3.2/exhausted-stays-exhausted',
  '3.2/card-up-to-its-limit',
  '3.2/each-use-is-counted',
  '5/out-of-scope-keeps-its-use',
];
