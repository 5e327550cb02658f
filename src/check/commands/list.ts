import { TicketscanError } from '../../core/errors.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { counted } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { terminalLines } from '../../terminal/markdown.ts';
import { showResult, terminalColumns } from '../../terminal/results.ts';
import type { Case } from '../cases/case.ts';
import { describeCases } from '../cases/describe.ts';
import { type CaseDescription, listCases, listDeviceCases } from '../index.ts';
import { selectCases } from '../planning/select.ts';
import type { SpecificationSection } from '../specification/specification.ts';
import { headingOf, SECTIONS, sectionAt, whereToRead } from '../specification/specification.ts';

interface ListFlags {
  readonly only?: string[];
  readonly skip?: string[];
  readonly json?: boolean;
}

/** `--list`: every case that the selection takes, one a line, or as JSON. Rate-limit cases are listed too. */
export function listOf(
  cases: readonly Case<never>[],
  { only, skip, json = false }: ListFlags,
  io: CliIo,
): void {
  const ids = new Set(selectCases(cases, { only, skip, rateLimits: true }).map(({ id }) => id));
  const listed = describeCases(cases).filter(({ id }) => ids.has(id));
  const width = Math.max(...listed.map(({ id }) => id.length));
  const lines = listed.map(
    ({ id, level, requirement }) => `${id.padEnd(width)}  ${level.padEnd(8)}  ${requirement}`,
  );
  showResult(io, { json }, listed, lines);
}

/**
 * `--explain ID`: what one case wants, needs and spends; for the number of a section, the section itself.
 * @throws TicketscanError `usage` for an unknown id
 */
export function explain(id: string, json: boolean, io: CliIo): void {
  const section = sectionAt(id);
  // as a finding or a baseline writes it: 7.1/bad-body{empty-body}@consume
  const [caseId] = id.split(/[{@]/);
  const one = allCases().find((known) => known.id === caseId);
  if (section !== undefined) explainSection(section, json, io);
  else if (one !== undefined) explainCase(one, json, io);
  else {
    const sections = [...SECTIONS.keys()];
    const meant = didYouMean(id, [...listCases().map((known) => known.id), ...sections]);
    throw new TicketscanError(
      'usage',
      `--explain: unknown case "${id}".${meant} List them: ticketscan check --list. The sections of the specification are ${sections.join(', ')}.`,
    );
  }
}

/** Those on servers, devices and clients. */
function allCases(): CaseDescription[] {
  return [...listCases(), ...listDeviceCases('device'), ...listDeviceCases('client')];
}

function explainSection(section: SpecificationSection, json: boolean, io: CliIo): void {
  const { number, text } = section;
  const cases = listCases().filter((one) => one.section === number);
  const parts = [...SECTIONS.keys()].filter((other) => other.startsWith(`${number}.`));
  const blocks = [
    terminalLines(text, terminalColumns(io)),
    parts.map(headingOf),
    cases.length === 0 ? [] : [casesLine(number, cases.length)],
  ];
  const lines = blocks.filter((block) => block.length > 0).flatMap((block) => ['', ...block]);
  const value = { ...section, cases: cases.map(({ id }) => id) };
  showResult(io, { json }, value, [headingOf(number), ...lines]);
}

function casesLine(number: string, count: number): string {
  return `${counted(count, 'case')}: ticketscan check --list --only ${number}`;
}

function explainCase(one: CaseDescription, json: boolean, io: CliIo): void {
  showResult(io, { json }, one, [
    one.id,
    `  Requirement   ${one.requirement}`,
    `  Specification ${headingOf(one.section)}`,
    `                ${whereToRead(one.section)}`,
    `  Level         ${LEVELS[one.level]}`,
    `  Asked on      ${placesOf(one)}`,
    ...(one.variants.length === 0 ? [] : [`  Variants      ${one.variants.join(', ')}`]),
    ...(one.cause === undefined ? [] : [`  Cause         ${one.cause}`]),
    `  Needs         ${needsOf(one)}`,
    `  Spends        ${spendingOf(one)}`,
  ]);
}

const LEVELS = {
  stated: 'stated: a deviation fails the run',
  observed: "observed in the specification's samples: a deviation warns",
  unstated: 'unstated: the behaviour is reported and never fails',
} as const;

function placesOf({ endpoints, level }: CaseDescription): string {
  const places = endpoints.map((one) =>
    one.level === level ? one.endpoint : `${one.endpoint} (${one.level})`,
  );
  return places.join(', ') || 'a sequence over several endpoints';
}

function needsOf({ keys, tickets, samples, hooks, rateLimits }: CaseDescription): string {
  const answers = [...new Set(samples.map((sample) => sample.replace(/@.*/, '')))];
  const needs = [
    ...keys.map((key) => `key ${key}`),
    ...Object.entries(tickets).map(([kind, count]) => counted(count, `${kind} ticket`)),
    ...(answers.length > 0 ? [`the answers that others share (${answers.join(', ')})`] : []),
    ...(hooks.length > 0 ? [`--token, or --hook ${hooks.join(', ')}`] : []),
    ...(rateLimits ? ['--rate-limits'] : []),
  ];
  return needs.join(', ') || 'nothing';
}

function spendingOf({ uses }: CaseDescription): string {
  if (uses === undefined) return 'nothing';
  const parts = Object.entries(uses).map(
    ([kind, count]) => `${counted(count, 'use')} of ${kind} tickets`,
  );
  return `${parts.join(', ') || 'nothing on a correct server'}; needs --consume`;
}
