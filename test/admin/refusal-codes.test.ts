import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ANSWER_TEXTS, REFUSALS, refusalText } from '../../src/core/refusals.ts';

/** What the admin API runs; the rest is for the command line or for the store's files. */
const FOLDERS = ['src/core', 'src/features', 'src/operations', 'src/tickets/lists'];
/** Of features, what only the command line runs. */
const ONLY_COMMANDS = /commands?[.]ts$|find-tickets[.]ts$|^(?:store|service)[/]|store-access/u;
/** Refusals that only the command line can meet, or whose kind says it all, by file. */
const WITHOUT_REASON: Readonly<Record<string, number>> = {
  'src/core/ticket-code.ts': 2,
  'src/features/log/command-conditions.ts': 1,
  'src/features/scans/operations.ts': 1,
  'src/operations/call.ts': 7,
  'src/features/context.ts': 2,
  'src/features/data-access.ts': 3,
  'src/features/tickets/operations.ts': 2,
  'src/features/accounts/access-tokens.ts': 1,
  'src/features/accounts/account-records.ts': 1,
  'src/features/accounts/accounts.ts': 1,
  'src/features/accounts/phones.ts': 2,
  'src/features/keys/key-checks.ts': 5,
  'src/features/organisations/administration.ts': 2,
  'src/features/record-checks.ts': 4,
  'src/features/privacy/retention.ts': 1,
  'src/features/seed/seed.ts': 1,
  'src/features/tickets/administration.ts': 1,
  'src/features/webhooks/webhooks.ts': 1,
  'src/tickets/lists/read-rows.ts': 1,
  'src/tickets/lists/revoke-list.ts': 3,
};

/** The arguments of every `new TicketscanError(…)` of a source. */
function refusalsIn(source: string): string[] {
  return source
    .split('new TicketscanError(')
    .slice(1)
    .map((rest) => rest.slice(0, rest.search(/\n\s*\);|\);\n/u)));
}

test('every refusal of the admin API has a reason, or is listed as one that needs none', () => {
  const without: Record<string, number> = {};
  for (const folder of FOLDERS) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || ONLY_COMMANDS.test(name)) continue;
      const file = join(folder, name);
      const source = readFileSync(file, 'utf8');
      const bare = refusalsIn(source).filter((text) => !/\breason\b/u.test(text));
      if (bare.length > 0) without[file] = bare.length;
    }
  }
  expect(without).toEqual(WITHOUT_REASON);
});

test('every reason occurs in the source', () => {
  const sources = [
    'src/core',
    'src/features',
    'src/operations',
    'src/stores',
    'src/tickets',
    'src/kit',
  ].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/refusals[.]ts$/u.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  const all = sources.join('\n');
  expect(Object.keys(REFUSALS).filter((reason) => !all.includes(`'${reason}'`))).toEqual([]);
});

test('every code has a text of its own in both languages, with the same values filled in', () => {
  for (const code of Object.keys(ANSWER_TEXTS)) {
    const told = (['en', 'de'] as const).map((language) => {
      const asked = new Set<string>();
      const get = (_: object, name: string) => asked.add(name) && 7;
      const text = refusalText(code, new Proxy<Record<string, number>>({}, { get }), language);
      return { text, asked };
    });
    const [english, german] = told;
    expect(german?.text, code).not.toBe(english?.text);
    expect(german?.asked, code).toEqual(english?.asked);
    // A command is at the end without a full stop, to be copied: here it is a 7.
    for (const { text } of told) expect(text, code).toMatch(/^\S[^{}]{8,}(?:[.:]|: 7)$/u);
    // The page has buttons; options are of the command line, and both read the same text.
    for (const { text } of told)
      expect(text, code).not.toMatch(/--\w|ticketscan \w+|(?:Choose|Wählen Sie) [“„]/u);
  }
});
