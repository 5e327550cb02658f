import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Every place that shows only the first of a list, and how a reader learns of the rest. A new place fails until it says that too: what is
 * counted or shown from a part must not look like the whole.
 */
const TOLD: Readonly<Record<string, string>> = {
  'src/dashboard/components/counts.tsx: rows': 'andMore',
  'src/dashboard/components/fields.tsx: shownMax': 'andMore',
  'src/dashboard/components/page.tsx: FAULTS_SHOWN': 'andMore',
  'src/dashboard/components/scans.tsx: LIVE_ENTRIES_MAX':
    'The live log says that it has the newest 200.',
  'src/dashboard/pages/guest-search.tsx: SHOWN_MAX': 'foundFirst',
  'src/dashboard/pages/new-tickets.tsx: SHOWN_MAX': 'moreCreated',
  'src/dashboard/pages/overview.tsx: EVENTS_SHOWN':
    'They are the fullest ones, and a link leads to all events.',
  'src/dashboard/pages/overview.tsx: SHOWN': 'It is headed as the latest scans, and leads to all.',
  'src/dashboard/pages/scan-result.tsx: OVERTAKEN_SHOWN':
    'The list below the stage has the others.',
  'src/dashboard/scanner/unanswered-scans.ts: KEPT_MAX':
    'Sixty scans without an answer are more than a line of guests waits for; only older ones go.',
  'src/core/refusal-counts.ts: REFUSAL_ROWS_MAX': 'others',
  'src/features/devices/operations.ts: DEVICE_SCANS_SHOWN':
    'It is headed as the last scans; none of them says where older ones are.',
  'src/features/sites/recent-contacts.ts: CONTACTS_AT_ONCE':
    'No person reads it, and a device that is left out comes with a later heartbeat.',
  'src/features/record-checks.ts: LISTED_MAX': 'LISTED_MAX} more',
  'src/features/tickets/routes/list-reading.ts: FAULTS_SHOWN': 'at least',
  'src/dashboard/pages/list-preview.tsx: CHANGES_SHOWN': 'moreChanges',
  'src/features/webhooks/endpoint.ts: DELIVERIES_KEPT': 'They are the latest 50 by name.',
  'src/features/webhooks/rules.ts: TESTS_KEPT': 'They are the latest 10 by name.',
  'src/stores/json/notice.ts: NAMED_MAX': 'NAMED_MAX} more',
  'src/stores/json/read-document.ts: ISSUES_SHOWN': 'ISSUES_SHOWN',
  'src/stores/sql/verify.ts: PROBLEMS_SHOWN': 'MORE_PROBLEMS',
  'src/features/tickets/commands/list-changes.ts: CHANGES_SHOWN': 'more: --dry-run --json has all',
  'src/features/tickets/commands/list-options.ts: ISSUES_SHOWN': 'other issues',
  'src/features/mint/commands/mint.ts: MISSING_SHOWN': 'MISSING_SHOWN',
  'src/features/tickets/commands/many.ts: REFERENCES_NAMED': "', …'",
  'src/features/tickets/commands/unknown-columns.ts: SAMPLES_SHOWN':
    'They are samples of a column, so that it is recognised.',
};

/** What is cut is a text or bytes, not a list; or the next part of what is worked on. */
const NO_BOUND = /CHARACTERS$|^STEP$/u;
const NO_LIST = /text|bytes|file|ticketCode|cursors|pages|message|pair/iu;

test('every list that is cut off says that there is more', () => {
  const files = globSync(
    'src/{core,features,cli,dashboard,terminal,serve,stores,tickets/commands}/**/*.{ts,tsx}',
  );
  const found = files.flatMap((path) => {
    const source = readFileSync(path, 'utf8');
    const cuts = [
      ...source.matchAll(/([\w.#()\]}]+)\s*\.slice\(0, ((?:[A-Z][A-Z_]+)|shownMax)\b/gu),
    ];
    return cuts
      .filter(([, cut = '', bound = '']) => !NO_LIST.test(cut) && !NO_BOUND.test(bound))
      .map(([, , bound]) => `${path}: ${bound}`);
  });
  const named = [...new Set(found)].map((one) =>
    one.replace('counts.tsx: shownMax', 'counts.tsx: rows'),
  );
  expect(named.sort()).toEqual(Object.keys(TOLD).sort());
  for (const [place, told] of Object.entries(TOLD)) {
    const [path = ''] = place.split(':');
    // A sentence is for people; a word is in the source.
    if (!told.includes('. ') && !told.endsWith('.'))
      expect(readFileSync(path, 'utf8'), place).toContain(told);
  }
});
