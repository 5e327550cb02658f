import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type CheckCase, cellsOf } from '../../src/check/cases/case.ts';
import {
  isOptional,
  KEY_NAMES,
  NEVER_CONSUMABLE,
  type Target,
  TICKET_KINDS,
} from '../../src/check/deployment/target.ts';
import { KEY_CHANGES } from '../../src/check/index.ts';
import { makePlan, type Plan } from '../../src/check/planning/plan.ts';
import { sampleNamed } from '../../src/check/samples/samples.ts';
import { CASES } from '../../src/check/sections/index.ts';
import { fc } from '../support/fast-check.ts';

const samplesOf = (cases: readonly CheckCase[]) =>
  [...new Set(cases.flatMap(cellsOf).flatMap(({ samples = [] }) => samples))].map(sampleNamed);

function targetWith(counts: Partial<Record<string, number>>, fallback = 0): Target {
  return {
    keys: Object.fromEntries(KEY_NAMES.map((name) => [name, `key-${name}`])),
    tickets: Object.fromEntries(
      TICKET_KINDS.map((kind) => [
        kind,
        Array.from({ length: counts[kind] ?? fallback }, (_, i) => ({ code: `${kind}-${i}` })),
      ]),
    ),
  };
}

/** A way to change keys. */
const access = {
  hooks: Object.fromEntries(KEY_CHANGES.map((change) => [change, async () => undefined])),
};

const asked = [...CASES.flatMap(cellsOf), ...samplesOf(CASES)];
const needsOf = (name: string) => asked.find((one) => one.name === name);

/** The names that got each ticket for themselves or to look at, of those that can run. */
function ownersOf(plan: Plan): string[][] {
  const owners = new Map<string, string[]>();
  for (const [name, { tickets }] of plan.given) {
    if (plan.skipped.has(name)) continue;
    for (const { code } of Object.values(tickets).flat())
      owners.set(code, [...(owners.get(code) ?? []), name]);
  }
  return [...owners.values()];
}

const spends = (name: string) => Object.keys(needsOf(name)?.uses ?? {}).length > 0;

test('whatever the target has, a ticket that is spent belongs to one question alone', () => {
  const counts = fc.record(Object.fromEntries(TICKET_KINDS.map((kind) => [kind, fc.nat(45)])));
  fc.assert(
    fc.property(counts, (has) => {
      const plan = makePlan(CASES, samplesOf(CASES), targetWith(has), true, { access });
      const spent = ownersOf(plan).filter((names) => names.some(spends));
      expect(spent.filter((names) => names.length > 1)).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('nobody spends or looks at the decoys and the shared card', () => {
  const plan = makePlan(CASES, samplesOf(CASES), targetWith({}, 40), true);
  const all = [...plan.given.values()];
  const shared = all.flatMap(({ decoys, sharedCard }) =>
    sharedCard ? [...decoys, sharedCard] : decoys,
  );
  const owned = new Set(all.flatMap(({ tickets }) => Object.values(tickets).flat()));
  expect(shared.length).toBeGreaterThan(60);
  expect(shared.filter((ticket) => owned.has(ticket))).toEqual([]);
});

test('a target of 40 tickets of each kind is enough for every case', () => {
  const plan = makePlan(CASES, samplesOf(CASES), targetWith({}, 40), true, { access });
  expect([...plan.skipped]).toEqual([]);
});

test('a target with the numbers of tickets in docs/testing/target-file.md is enough', () => {
  const document = readFileSync('docs/testing/target-file.md', 'utf8');
  const rows = [...document.matchAll(/^\| (`.*?`) \| .* \| (\d+) \|$/gm)];
  const counts = Object.fromEntries(
    rows.flatMap(([, kinds = '', count]) =>
      [...kinds.matchAll(/`(\w+)`/g)].map(([, kind]) => [kind, Number(count)]),
    ),
  );
  expect(Object.keys(counts).toSorted()).toEqual(TICKET_KINDS.toSorted());
  const plan = makePlan(CASES, samplesOf(CASES), targetWith(counts), true, { access });
  expect([...plan.skipped]).toEqual([]);
});

test('without consent nothing that spends runs, and the decoys cannot be spent', () => {
  const plan = makePlan(CASES, samplesOf(CASES), targetWith({}, 40), false);
  const running = asked.filter(({ name }) => !plan.skipped.has(name));
  expect(running.filter(({ uses }) => uses !== undefined)).toEqual([]);
  expect(plan.budget).toEqual({ uses: 0, byKind: [] });
  expect(running.length).toBeGreaterThan(400);
  const baited = running.filter(({ decoys }) => decoys !== undefined);
  expect(baited.length).toBeGreaterThan(60);
  const kinds = baited
    .flatMap(({ name }) => plan.given.get(name)?.decoys ?? [])
    .map(({ code }) => code.split('-')[0]);
  expect(
    kinds.every((kind) => (NEVER_CONSUMABLE as readonly (string | undefined)[]).includes(kind)),
  ).toBe(true);
});

test('what is missing is named in the reason', () => {
  const plan = makePlan(CASES, samplesOf(CASES), { keys: {}, tickets: {} }, true);
  expect(plan.skipped.get('4/good-ticket@validate{single}')?.reason).toBe(
    'the target has no key "rest"',
  );
  const poor = makePlan(CASES, samplesOf(CASES), targetWith({ single: 0 }, 5), true);
  expect(poor.skipped.get('5/good-key-accepted@validate{header-name-case}')?.reason).toContain(
    '"single"',
  );
});

test('a target without the optional members lacks nothing that counts', () => {
  const counts = Object.fromEntries(TICKET_KINDS.filter(isOptional).map((kind) => [kind, 0]));
  const full = targetWith(counts, 40);
  const keys = Object.fromEntries(
    Object.entries(full.keys).filter(([name]) => !isOptional(name as never)),
  );
  const { skipped } = makePlan(CASES, samplesOf(CASES), { ...full, keys }, true);
  expect(skipped.size).toBeGreaterThan(20);
  expect([...skipped].filter(([, { optional }]) => !optional)).toEqual([]);
});

test('without a way to change keys those cases are listed, and nothing is missing', () => {
  const plan = makePlan(CASES, samplesOf(CASES), targetWith({}, 40), true);
  const names = [...plan.skipped.keys()].map((name) => name.replace(/@.*/, ''));
  expect(names.length).toBeGreaterThan(30);
  expect(names.every((name) => needsOf(`${name}@validate`)?.changes !== undefined)).toBe(true);
  expect([...plan.skipped.values()].every(({ optional }) => optional)).toBe(true);
  const { spare: _, ...keys } = targetWith({}, 40).keys;
  const other = makePlan(CASES, samplesOf(CASES), { ...targetWith({}, 40), keys }, true, {
    access,
  });
  expect(other.skipped.get('3.1/renamed-key-accepted@validate')).toEqual({
    reason: 'the target has no key "spare", which the check may change',
    optional: true,
  });
  expect(other.skipped.has('3.1/renamed-key-accepted@heartbeat')).toBe(false);
});
