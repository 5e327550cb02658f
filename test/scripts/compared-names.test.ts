import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Where names and texts of people are compared without `core/folded-text`, and why. What is not named here uses `isSameName`,
 * `recordsNamed`, `searchTerms`, or `foldedWithTwoLetters`: a name that is found in one place and not in another is lost.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  'src/core/folded-text.ts': 'The fold itself.',
  'src/core/ticket-id.ts': 'Identifiers are a to z and digits.',
  'src/features/accounts/account-records.ts':
    'The key of an administrative record, without invisible characters; accents and punctuation count.',
  'src/features/accounts/commands.ts': 'By the key of the record, as at the sign-in.',
  'src/features/accounts/guard.ts': 'Names of hosts.',
  'src/features/events/commands.ts': 'An id; the name beside it with isSameName.',
  'src/features/keys/commands/keys.ts': 'An answer to a question.',
  'src/features/record-checks.ts': 'An id; the name is found with recordsNamed.',
  'src/features/sites/centre.ts': 'Names of sites with their incarnations, which programs make.',
  'src/features/store/commands/store.ts': 'Names of members.',
  'src/features/store/staged-backup.ts': 'The name of a file.',
  'src/features/tickets/commands/import.ts': 'Whether planOwners chose another name.',
  'src/features/mint/commands/mint-options.ts': 'Names of formats.',
  'src/features/privacy/commands/report-text.ts': 'Labels of fields.',
  'src/features/tickets/commands/many.ts': 'The beginning of a reference, in a hint.',
  'src/stores/json/apply-edits.ts': 'Whether an edit changes a name at all.',
  'src/stores/json/document-lines.ts': 'Names of lists.',
  'src/stores/second-names.ts': 'Names of files.',
  'src/tickets/lists/ticket-list.ts': 'Names of kinds, folded before.',
  'src/tickets/lists/worksheet.ts':
    'The exact name of a sheet goes before one that isSameName finds.',
  'src/tickets/sheets/layouts.ts': 'Names of layouts.',
};

const NAME = String.raw`\b(?:[\w.?]+\.)?(?:name|[a-z]+Name|nameOrId)\b(?!\()`;
const COMPARISONS = [
  new RegExp(String.raw`[!=]==\s*${NAME}`, 'u'),
  new RegExp(String.raw`${NAME}\s*[!=]==(?!\s*(?:undefined|null|'|\x60))`, 'u'),
  /\.(?:toLowerCase|toLocaleLowerCase|localeCompare)\(/u,
];

function compares(line: string): boolean {
  if (/^\s*(?:\*|\/\*|\/\/)/u.test(line)) return false;
  return COMPARISONS.some((one) => one.test(line));
}

test('names and texts of people are compared by one fold', () => {
  const files = globSync('src/{core,stores,features,operations,tickets,terminal}/**/*.ts');
  const found = files.filter((file) => readFileSync(file, 'utf8').split('\n').some(compares));
  expect(found.toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
});

test.each([
  'all.find((one) => one.name === name)',
  'if (named === event.name) return;',
  'left.localeCompare(right)',
  'text.trim().toLowerCase()',
])('sees %s', (line) => {
  expect(compares(line)).toBe(true);
});
