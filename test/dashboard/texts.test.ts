import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ANSWER_TEXTS, REFUSALS, refusalText } from '../../src/core/refusals/catalogue.ts';
import { DESK_TEXTS as TEXTS } from '../../src/dashboard/i18n/desk-texts.ts';

/** What the admin API runs; the rest is for the command line or for the store's files. */
const FOLDERS = ['src/core', 'src/features', 'src/operations', 'src/tickets/lists'];
/** The files of features that only the command line runs. */
const ONLY_COMMANDS = /commands?[.]ts$|[/]commands[/]|find-tickets[.]ts$|^(?:store|service)[/]/u;
/** Refusals that only the command line can meet, or whose kind says it all, by file. */
const WITHOUT_REASON: Readonly<Record<string, number>> = {
  'src/core/ticket-code.ts': 3,
  'src/features/scans/operations.ts': 1,
  'src/operations/admin-client.ts': 7,
  'src/features/context.ts': 1,
  'src/features/data-access.ts': 3,
  'src/features/accounts/access-tokens.ts': 1,
  'src/features/accounts/account-records.ts': 1,
  'src/features/accounts/rules.ts': 1,
  'src/features/phones/rules.ts': 3,
  'src/features/keys/rules.ts': 5,
  'src/features/organisations/rules.ts': 2,
  'src/features/record-checks.ts': 4,
  'src/features/scope.ts': 1,
  'src/features/privacy/rules.ts': 1,
  'src/features/seed/rules.ts': 1,
  'src/features/sites/agent.ts': 3,
  'src/features/sites/centre-client.ts': 4,
  'src/features/sites/centre.ts': 3,
  'src/features/sites/records-for-sites.ts': 1,
  'src/features/sites/row-keeper.ts': 1,
  'src/features/sites/rules.ts': 2,
  'src/features/tickets/rules.ts': 3,
  'src/features/tickets/shop-maps.ts': 2,
  'src/features/webhooks/rules.ts': 1,
  'src/tickets/lists/chosen-rows.ts': 1,
  'src/tickets/lists/named-parts.ts': 1,
  'src/tickets/lists/read-rows.ts': 1,
  'src/tickets/lists/revoke-list.ts': 3,
};

/** The acts on objects whose sources make the name of two parts, such as `phone.${what}`. */
const ACTS_IN_PARTS: Readonly<Record<string, readonly string[]>> = {
  'access-token': ['create', 'delete'],
  account: ['create', 'change', 'delete'],
  phone: ['pair', 'revoke'],
  webhook: ['create', 'edit', 'delete'],
};

/** The files of some folders with their text. */
function sourcesIn(folders: readonly string[]): { name: string; file: string; source: string }[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => {
        const file = join(folder, name);
        return { name, file, source: readFileSync(file, 'utf8') };
      }),
  );
}

/** The arguments of every `new TicketscanError(…)` of a source. */
function refusalsIn(source: string): string[] {
  return source
    .split('new TicketscanError(')
    .slice(1)
    .map((rest) => rest.slice(0, rest.search(/\n\s*\);|\);\n/u)));
}

test('every refusal of the admin API has a reason, or is listed as one that needs none', () => {
  const without: Record<string, number> = {};
  for (const { name, file, source } of sourcesIn(FOLDERS)) {
    if (ONLY_COMMANDS.test(name)) continue;
    const bare = refusalsIn(source).filter((text) => !/\breason\b/u.test(text));
    if (bare.length > 0) without[file] = bare.length;
  }
  expect(without).toEqual(WITHOUT_REASON);
});

test('every reason occurs in the source', () => {
  const all = sourcesIn([...FOLDERS, 'src/stores', 'src/tickets', 'src/kit'])
    .filter(({ name }) => !/refusals[.]ts$/u.test(name))
    .map(({ source }) => source)
    .join('\n');
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

test('every act of the audit log has words of its own in both languages', () => {
  const sources = sourcesIn(['src/features', 'src/serve']).map(({ source }) => source);
  const found = (pattern: RegExp) => {
    const all = sources.flatMap((one) => [...one.matchAll(pattern)].map(([, act = '']) => act));
    return [...new Set(all)].sort();
  };
  const whole = found(
    /(?:\bact: (?:isHome \? )?|(?<='event\.return') : |#auditEntry\(\s*|\bauditEntryBy\(\s*this\.#deps,\s*|#move\(event, site\.name, )'([a-z-]+\.[a-z_-]+)'/gu,
  );
  expect(whole.length).toBeGreaterThan(20);
  for (const act of ['organisation.delete_with_tickets', 'event.free', 'event.arrive'])
    expect(whole).toContain(act);
  expect(found(/\bact: `([a-z-]+)\.\$\{what\}`/gu)).toEqual(Object.keys(ACTS_IN_PARTS));
  const inParts = Object.entries(ACTS_IN_PARTS).flatMap(([what, done]) =>
    done.map((one) => `${what}.${one}`),
  );
  for (const act of [...whole, ...inParts]) {
    const [english, german] = [TEXTS.en.acts[act], TEXTS.de.acts[act]];
    for (const words of [english, german]) expect(words, act).toMatch(/^\p{Lu}\p{L}.{4,}$/u);
    expect(german, act).not.toBe(english);
  }
});
