import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CheckCase } from '../../src/check/case.ts';
import { CASES } from '../../src/check/cases.ts';
import { makePlan, type Plan } from '../../src/check/plan.ts';
import { sampleNamed } from '../../src/check/samples.ts';
import { KEY_NAMES, type Target, TICKET_KINDS } from '../../src/check/target.ts';

const samplesOf = (cases: readonly CheckCase[]) =>
  [...new Set(cases.flatMap((one) => one.samples ?? []))].map(sampleNamed);

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

/** The names that got each ticket, of those that can run. */
function ownersOf(plan: Plan): string[][] {
  const owners = new Map<string, string[]>();
  for (const [name, tickets] of plan.tickets) {
    if (plan.skipped.has(name)) continue;
    for (const { code } of Object.values(tickets).flat())
      owners.set(code, [...(owners.get(code) ?? []), name]);
  }
  return [...owners.values()];
}

const spends = (name: string) =>
  (CASES.find(({ id }) => id === name) ?? sampleNamed(name)).uses !== undefined;

test('whatever the target has, a ticket that is spent belongs to one case alone', () => {
  const counts = fc.record(Object.fromEntries(TICKET_KINDS.map((kind) => [kind, fc.nat(45)])));
  fc.assert(
    fc.property(counts, (has) => {
      const plan = makePlan(CASES, samplesOf(CASES), targetWith(has), true);
      for (const names of ownersOf(plan)) {
        if (names.some(spends)) expect(names).toHaveLength(1);
      }
    }),
  );
});

test('a target of 40 tickets of each kind is enough for every case', () => {
  expect([...makePlan(CASES, samplesOf(CASES), targetWith({}, 40), true).skipped]).toEqual([]);
});

test('a target with the numbers of tickets in docs/check.md is enough', () => {
  const document = readFileSync(new URL('../../docs/check.md', import.meta.url), 'utf8');
  const rows = [...document.matchAll(/^\| (`.*?`) \| .* \| (\d+) \|$/gm)];
  const counts = Object.fromEntries(
    rows.flatMap(([, kinds = '', count]) =>
      [...kinds.matchAll(/`(\w+)`/g)].map(([, kind]) => [kind, Number(count)]),
    ),
  );
  expect(Object.keys(counts).toSorted()).toEqual(TICKET_KINDS.toSorted());
  expect([...makePlan(CASES, samplesOf(CASES), targetWith(counts), true).skipped]).toEqual([]);
});

test('without consent nothing that spends runs, and the budget is empty', () => {
  const plan = makePlan(CASES, samplesOf(CASES), targetWith({}, 40), false);
  const running = CASES.filter(({ id }) => !plan.skipped.has(id));
  expect(running.filter(({ uses }) => uses !== undefined)).toEqual([]);
  expect(plan.budget).toEqual({ uses: 0, byKind: [] });
  expect(running.length).toBeGreaterThan(200);
});

test('what is missing is named in the reason', () => {
  const plan = makePlan(CASES, samplesOf(CASES), { keys: {}, tickets: {} }, true);
  expect(plan.skipped.get('4.1/single-validated')).toBe('the target has no key "rest"');
  const poor = makePlan(CASES, samplesOf(CASES), targetWith({ single: 0 }, 5), true);
  expect(poor.skipped.get('5/header-name-case')).toContain('"single"');
});
