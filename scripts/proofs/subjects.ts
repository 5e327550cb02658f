const folders = (...names: readonly string[]) => names.map((name) => `src/${name}/`);

/** What judges servers, devices and clients, or plays them. */
const JUDGE = folders(
  'check',
  'client',
  'device-files',
  'record',
  'simulate',
  'target-file',
  'testing',
);
/** What decides a scan and keeps it. */
const DECIDING = folders('core', 'kit', 'scan', 'serve', 'stores');
const ADMINISTRATION = folders('features', 'operations');
const COMMANDS = folders('cli', 'config', 'features', 'terminal');
const ALL = ['src/'];

/**
 * What proofs are about, by the beginning of their paths; the longest one counts. Most proofs start the whole program, and would have to
 * run again with each change of it. A commit runs those that are about what it changes, and those that are about everything; a release
 * runs every one that anything can affect.
 */
export const ABOUT: Readonly<Record<string, readonly string[]>> = {
  'test/admin/': ADMINISTRATION,
  'test/admin/bounded': [...ADMINISTRATION, ...folders('stores')],
  'test/admin/fair-shares': [...ADMINISTRATION, ...DECIDING],
  'test/admin/large-imports': [...ADMINISTRATION, ...folders('stores', 'tickets')],
  'test/admin/many-tenants': [...ADMINISTRATION, ...DECIDING],
  'test/bench/': [],
  'test/check/': JUDGE,
  'test/check/explore/own-service': [...JUDGE, ...DECIDING],
  'test/check/pipelines': [...JUDGE, ...COMMANDS],
  'test/cli/': COMMANDS,
  'test/cli/store/': [...COMMANDS, ...folders('stores')],
  'test/client/': [...JUDGE, ...folders('kit')],
  'test/contract/': folders('core', 'stores'),
  'test/dashboard/': folders('dashboard'),
  'test/dashboard/engines': folders('dashboard', 'features/accounts', 'features/phones'),
  'test/dashboard/scan.': [...folders('dashboard'), ...ADMINISTRATION, ...DECIDING],
  'test/dashboard/stories': [...folders('dashboard'), ...ADMINISTRATION],
  'test/dashboard/tickets': [...folders('dashboard'), ...ADMINISTRATION],
  'test/device-faults/': JUDGE,
  'test/docs/': ALL,
  'test/e2e/': ALL,
  'test/http/': DECIDING,
  'test/install/': ALL,
  'test/mint/': folders('features/mint', 'tickets'),
  'test/mint/samples/': folders('core', 'tickets'),
  'test/mutants/': JUDGE,
  'test/mutants/reference': [...JUDGE, ...DECIDING],
  'test/property/': folders('core', 'features'),
  'test/property/engines-agree': folders('core', 'stores'),
  'test/prove/': DECIDING,
  'test/prove/administration': folders('features/signing-keys', 'features/store', 'stores'),
  'test/prove/explored': [...JUDGE, ...DECIDING],
  // Of the checker of histories. That each bug still has its place in the sources, `npm test` shows.
  'test/prove/planted-bugs': [],
  'test/record/': JUDGE,
  // These read the sources, or start what they find there.
  'test/scripts/': ALL,
  'test/simulate/': JUDGE,
  'test/stores/': folders('stores'),
  'test/testing/': JUDGE,
  'test/webhooks/': folders('features/webhooks'),
};

/** @throws Error when the table has nothing for the proof */
export function subjectsOf(proof: string): readonly string[] {
  const beginnings = Object.keys(ABOUT).filter((beginning) => proof.startsWith(beginning));
  const longest = beginnings.sort((one, other) => other.length - one.length)[0];
  const subjects = ABOUT[longest ?? ''];
  if (subjects === undefined)
    throw new Error(`scripts/proofs/subjects.ts does not say what ${proof} is about.`);
  return subjects;
}
