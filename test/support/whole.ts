/** Set by `npm run prove -- nightly`: nothing is left out of the sets that a commit's run takes a part of. */
const WHOLE_VARIABLE = 'TICKETSCAN_WHOLE';

/** Whether this run tries everything. A commit's run tries the smallest part that still finds each kind of planted bug. */
export const isWhole = (): boolean => process.env[WHOLE_VARIABLE] === 'yes';
