/** The seed of all tests that draw by chance, so that a commit is tried in the same way each time; `npm run prove -- nightly` sets a new one. */
export const SEED = Number(process.env['TICKETSCAN_SEED'] ?? 1);
