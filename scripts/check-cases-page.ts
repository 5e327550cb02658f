import { NOT_CHECKABLE } from '../src/check/cases/not-checkable.ts';
import { type CaseDescription, listCases } from '../src/check/index.ts';
import { KEY_CHANGE_TWINS } from '../test/mutants/twins/3.1-key-changes.ts';
import { RATE_LIMIT_TWINS } from '../test/mutants/twins/8-rate-limits.ts';
import { TWINS } from '../test/mutants/twins/index.ts';
import { ONE_ENDPOINT_TWINS } from '../test/mutants/twins/one-endpoint.ts';

const ALL_TWINS = [...TWINS, ...KEY_CHANGE_TWINS, ...RATE_LIMIT_TWINS];

/** docs/check-cases.md: every case with the faulty servers that it catches, and what cannot be checked. */
export function checkCasesPage(): string {
  const cases = listCases();
  const byLevel = (level: string) => cases.filter((one) => one.level === level);
  return `${[
    '# The cases of `ticketscan check`, and the faulty servers that they catch',
    '',
    `Made by \`npm run docs\`. ${cases.length} cases: ${byLevel('stated').length} stated (a deviation fails), ${byLevel('observed').length} observed in samples only (a deviation warns), ${byLevel('unstated').length} where the specification is silent (what was seen is reported).`,
    '',
    `The checker is proven by ${ALL_TWINS.length} faulty twins of a plain reference server (\`test/mutants/\`). Each twin breaks one statement, and each must fail at least the cases beside it here. Each is also planted on every endpoint alone, and must be noticed there, unless \`test/mutants/matrix/free.ts\` names the freedom that the specification leaves. ${ONE_ENDPOINT_TWINS.length} further ones err on one endpoint only. The reference itself must pass, and so must every variant in \`test/mutants/variants.ts\` that uses the freedom which the specification leaves.`,
    '',
    ...sectionsOf(byLevel('stated')),
    ...unprovenOf(byLevel('stated')),
    '## Warned about',
    '',
    'What only the samples of the specification show. `test/mutants/warnings.test.ts` proves each of these with one server that does all of it.',
    '',
    '| case | asked on | requirement |',
    '| --- | --- | --- |',
    ...byLevel('observed').map(
      (one) => `| \`${one.id}\` | ${placesOf(one)} | ${cell(one.requirement)} |`,
    ),
    '',
    '## Reported only',
    '',
    '| case | what is reported |',
    '| --- | --- |',
    ...byLevel('unstated').map((one) => `| \`${one.id}\` | ${cell(one.requirement)} |`),
    '',
    '## Not checkable',
    '',
    '| section | statement | why not |',
    '| --- | --- | --- |',
    ...NOT_CHECKABLE.map(
      ({ section, statement, reason }) => `| ${section} | ${cell(statement)} | ${cell(reason)} |`,
    ),
  ].join('\n')}\n`;
}

function sectionsOf(cases: readonly CaseDescription[]): string[] {
  return [...Map.groupBy(cases, ({ section }) => section)].flatMap(([section, list]) => [
    `## Section ${section}`,
    '',
    '| case | asked on | requirement | twins: a server that … |',
    '| --- | --- | --- | --- |',
    ...list.map(
      (one) =>
        `| \`${one.id}\` | ${placesOf(one)} | ${cell(one.requirement)} | ${twinsOf(one.id)} |`,
    ),
    '',
  ]);
}

function twinsOf(id: string): string {
  const everywhere = ALL_TWINS.filter(({ caughtBy }) => caughtBy.includes(id)).map(
    ({ name, fault }) => `${cell(fault)} (\`${name}\`)`,
  );
  const somewhere = ONE_ENDPOINT_TWINS.filter(({ caughtBy }) => caughtBy === id).map(
    ({ name, fault, endpoint }) => `${cell(fault)}, on ${endpoint} only (\`${name}\`)`,
  );
  return [...everywhere, ...somewhere].join('; ');
}

/** The endpoints of a case; a level that differs there is named. */
function placesOf({ endpoints, level }: CaseDescription): string {
  if (endpoints.length === 0) return 'a sequence';
  return endpoints
    .map((one) => `${one.endpoint}${one.level === level ? '' : ` (${one.level})`}`)
    .join(', ');
}

/** A case that no twin proves is questioned here; there should be none. */
function unprovenOf(cases: readonly CaseDescription[]): string[] {
  const unproven = cases.filter(({ id }) => twinsOf(id) === '');
  return unproven.length === 0
    ? []
    : ['## Without a twin', '', ...unproven.map(({ id }) => `- \`${id}\``), ''];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
