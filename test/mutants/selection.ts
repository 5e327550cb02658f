import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import type { CheckResult } from '../../src/check/index.ts';
import { coverOf, isWhole } from '../support/whole.ts';
import type { FaultyServer } from './faults/faulty-server.ts';
import { FAULTS_BY_FILE, FAULTY } from './faults/index.ts';
import { checkInVirtualTime, checkWhole, FOUND } from './found.ts';

const DIGITS = 12;

/**
 * A hash of what makes each faulty server what it is: its row in the table of faults and whatever stands outside of all rows of that
 * file. A server whose name is made by the program has no row of its own: any change of its file changes its hash.
 */
export function fingerprintsOf(
  byFile: Readonly<Record<string, readonly FaultyServer[]>>,
): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const [file, servers] of Object.entries(byFile)) {
    const { rows, others, text } = readRows(new URL(`faults/${file}`, import.meta.url));
    for (const { name } of servers) {
      const row = rows.get(name) ?? rows.get(name.replace(/, on [a-z/]+$/, ''));
      const source = row === undefined ? text : `${row}\n${others}`;
      hashes.set(name, hash('sha256', source).slice(0, DIGITS));
    }
  }
  return hashes;
}

/** The rows of a file of faults by their names, and the text without them. */
function readRows(file: URL) {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file.pathname, text, ts.ScriptTarget.Latest, true);
  const rows = new Map<string, string>();
  let others = text;
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isStringLiteral(node.name)) {
      const row = node.getText();
      rows.set(node.name.text, row);
      others = others.replace(row, '');
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  // A row leaves its comma and its line: a new row must not change what others are.
  return { rows, others: others.replaceAll(/[\s,]+/g, ' '), text };
}

/** The faulty servers that are new, or were changed, since `npm run found` looked at them. */
export function newOrChanged(): readonly FaultyServer[] {
  const hashes = fingerprintsOf(FAULTS_BY_FILE);
  return FAULTY.filter(({ name }) => FOUND[name]?.source !== hashes.get(name));
}

/**
 * Few faulty servers that show as much as all: together they make each case a finding on each endpoint where it is one of any server,
 * and each case that they leave open is left open. Chosen from found.json alone, so that a commit always has the same.
 */
export const covering = (): readonly FaultyServer[] => coverOf(FAULTY, shownBy);

/** Pairs of a case and an endpoint where it is a finding; for a fault that the specification leaves open, where it is. */
function shownBy({ name, free, section }: FaultyServer): readonly string[] {
  const findings = FOUND[name]?.findings ?? [];
  const pairs = findings.flatMap((finding) => {
    const [id, endpoints = ''] = finding.split('@');
    return endpoints.split(',').map((endpoint) => `${id}@${endpoint}`);
  });
  const leftOpen = (free?.on ?? []).map((endpoint) => `left open: ${section}@${endpoint}`);
  return [...pairs, ...leftOpen];
}

/** The faulty servers that this run checks: all of them in a whole run, else those that show as much, and the new and changed ones. */
function checkedInThisRun(): readonly FaultyServer[] {
  if (isWhole()) return FAULTY;
  const checked = new Set([...covering(), ...newOrChanged()]);
  return FAULTY.filter((one) => checked.has(one));
}

/** Of the faulty servers of this run, those that err by what is sent to them. */
export function checkedFaults(): readonly FaultyServer[] {
  return checkedInThisRun().filter(({ isByTheClock }) => !isByTheClock);
}

/** Checks a faulty server without some of the cases: one that errs by its clock in virtual time. */
export const checkFaulty = (
  faulty: FaultyServer,
  skip?: readonly string[],
): Promise<CheckResult> =>
  faulty.isByTheClock ? checkInVirtualTime(faulty, skip) : checkWhole(faulty, skip);

/** The faulty servers that err by their clock: each run checks them. */
export const faultsByTheClock = (): readonly FaultyServer[] =>
  FAULTY.filter(({ isByTheClock }) => isByTheClock);
