import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** Tests and proofs, and what they are made of; without those that look for clocks. */
const FILES = globSync(['test/**/*.{ts,mjs}', 'prove/**/*.ts']).filter(
  (file) => !['test/check/clocks.test.ts', 'test/scripts/time-in-tests.test.ts'].includes(file),
);

interface Rule {
  /** What makes a result depend on the machine, on the day or on luck. */
  readonly what: string;
  /** What to do instead. */
  readonly instead: string;
  readonly pattern: RegExp;
  /** Where it may be, and why. */
  readonly allowed: Readonly<Record<string, string>>;
}

const PACED = 'A part of a server or device that works at a pace.';
const TIMED = 'Measures a rate or a wait, and has a part of its own.';
const TOLD = 'Only tells how long it took.';
const PROVE = 'Runs in `npm run prove`, with nothing beside it.';
const UNTIL = 'Waits until something is so, with an end.';
const AT_LEAST = 'Something may not come too early: a busy machine only makes it later.';

const RULES: readonly Rule[] = [
  {
    what: 'reads a clock that runs',
    instead: 'bound work or processor time (test/support/processor-time.ts), or name it *.timed',
    pattern: /performance\s*\.now\(\)|hrtime/,
    allowed: {
      'prove/administration/try-row.ts': TOLD,
      'prove/faults/clients.ts': PROVE,
      'prove/faults/deaf.ts': PROVE,
      'prove/postgres/proxy.ts': PACED,
      'prove/postgres/servers.ts': UNTIL,
      'prove/postgres/trial.ts': PROVE,
      'prove/search.ts': TOLD,
      'prove/world/recorder.ts': 'The order of a history.',
      'test/admin/support/gate-thread.ts': TIMED,
      'test/cli/completion/support/typed.ts': UNTIL,
      'test/dashboard/support/page-actions.ts':
        'Where the times that a page is told of keys begin: nothing is bounded by them.',
      'test/dashboard/ways.proof.test.ts': PACED,
      'test/http/connections.timed.proof.test.ts': TIMED,
      'test/sites/support.ts': UNTIL,
      'test/sites/support/centre-and-sites.ts': 'The clock of a site.',
      'test/stores/postgres/locked-table.timed.proof.test.ts': TIMED,
      'test/stores/writer-backoff.test.ts': AT_LEAST,
      'test/testing/vary.proof.test.ts': AT_LEAST,
    },
  },
  {
    what: 'compares the time of day, or chooses by it',
    instead: 'let the commit decide, and wait with PATIENTLY (test/support/patience.ts)',
    pattern:
      /Date\.now\(\)\s*(?:[<>%/]|-\s*(?:began|begin|before|from|since|start))|(?<!=)[<>]=?\s*Date\.now\(\)/,
    allowed: {
      'prove/main.ts': TOLD,
      'prove/postgres/postgres-parts.ts': TOLD,
      'prove/splits/run.ts': UNTIL,
      'prove/webhooks/webhooks-part.ts': UNTIL,
      'test/device-faults/program-faults.ts': 'A window of a ticket.',
      'test/metrics/prometheus.release.test.ts': UNTIL,
      'test/metrics/server-metrics.test.ts': 'A time that is told is of today.',
      'test/mutants/faults/codes.ts': 'A window of a ticket.',
      'test/mutants/faults/tickets.ts': 'A window of a ticket.',
    },
  },
  {
    what: 'draws by a chance that is another in each run',
    instead: 'draw with SEED (test/support/seed.ts)',
    pattern: /Math\.random\(|newSeed\(/,
    allowed: {
      'prove/main.ts': 'Prints it.',
      'prove/world/random.ts': 'Makes it.',
      'test/mutants/faults/answers.ts': 'An identifier that is none.',
    },
  },
  {
    what: 'loads fast-check without the seed of the gate',
    instead: "import { fc } from '…/support/fast-check.ts'",
    pattern: /from 'fast-check'/,
    allowed: {
      'prove/simulation/plan.ts': 'Draws nothing itself.',
      'prove/simulation/simulation-part.ts': 'Gives its seed.',
      'prove/simulation/smaller.ts': 'Draws nothing itself.',
      'test/prove/simulation.proof.test.ts': 'Gives its seed.',
      'test/support/fast-check.ts': 'Sets it.',
    },
  },
  {
    what: 'takes whichever comes first, it or a time',
    instead: 'wait for what must come: a test that waits in vain ends by itself',
    pattern: /Promise\.race\(/,
    allowed: {
      'prove/faults/every-call.ts': 'Two events.',
      'prove/simulation/play.ts': 'Virtual time.',
      'test/mutants/reference/virtual-world.ts': 'Virtual time.',
      'prove/world/program.ts': 'Two events.',
      'test/http/every-refusal.test.ts': 'The first of several ends.',
      'test/http/foreign-protocols.proof.test.ts': 'Two events.',
      'test/admin/live.test.ts': 'Nothing may come: a busy machine makes that no redder.',
      'test/install/support/debian-root.ts': 'Two events.',
      'test/sites/following.test.ts': 'The centre would answer after 25 seconds.',
      'test/stores/postgres/trouble.proof.test.ts': 'Asks again until one of two events has come.',
      'test/support/cli.ts': 'Two events.',
      'test/support/proxies.ts': 'Two events.',
      'test/support/warm/warm-programs.ts': 'Two events.',
    },
  },
  {
    what: 'is repeated until it passes',
    instead: 'find what differs between the tries',
    pattern: /\{ retry: \d|\b(?:TRIES|ATTEMPTS)\w*\b|expectBelow/,
    allowed: {
      'prove/faults/file-limit.ts': 'A client whom the server lacks a file for.',
      'test/device-faults/program.ts': 'A client that is told to wait.',
    },
  },
];

/** How many waits for a condition there are, and how many of them have the long limit. */
function waitsOf(text: string): { all: number; patient: number } {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const imported = count(/import \{[^}]*PATIENTLY[^}]*\}/g);
  return {
    all: count(/\bexpect\s*\.poll\(|\bvi\.waitFor\(/g),
    patient: count(/\bPATIENTLY\b/g) - imported,
  };
}

describe.each(RULES)('a test that $what', ({ instead, pattern, allowed }) => {
  test('is on the list, with the reason', () => {
    const found = FILES.filter((file) => pattern.test(readFileSync(file, 'utf8')));
    expect(found.toSorted(), `another way: ${instead}`).toEqual(Object.keys(allowed).toSorted());
  });
});

test('whoever waits until something is so has time: by default Vitest gives a second', () => {
  const hasty = FILES.filter((file) => {
    const { all, patient } = waitsOf(readFileSync(file, 'utf8'));
    return all > patient;
  });
  expect(hasty).toEqual([]);
});
