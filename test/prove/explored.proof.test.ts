import { describe, expect, test } from 'vitest';
import type { Rule } from '../../prove/history/problem.ts';
import { exploreAndJudge } from '../../prove/nightly/judged-exploration.ts';
import type { Operation } from '../../src/core/decision.ts';
import type { BatchRequest, EncodedDecision, ScanRequest } from '../../src/core/scan-requests.ts';
import { type AlterCommit, startExploredService } from '../support/explored-service.ts';
import { SEED } from '../support/seed.ts';
import { ENGINES } from '../support/stores.ts';

const BUDGET = 500;
console.log(`explored: seed ${SEED}`);

describe.concurrent('the record of an exploration agrees with the store', () => {
  test.for(ENGINES)('of %s', async (engine, { expect }) => {
    await using service = await startExploredService(engine);
    const { result, problems, judged } = await exploreAndJudge(service, {
      seed: SEED,
      budget: BUDGET,
    });

    expect(result.failure, `seed ${SEED}`).toBe(null);
    expect(problems, `seed ${SEED}`).toEqual([]);
    expect(judged).toBeGreaterThan(BUDGET / 2);
  });
});

/** A mistake between the service and its store. */
interface Fault {
  readonly what: string;
  readonly rule: Rule;
  readonly asks?: (request: ScanRequest) => ScanRequest;
  readonly hears?: (decision: EncodedDecision, request: ScanRequest) => EncodedDecision;
}

const FAULTS: readonly Fault[] = [
  { what: 'acknowledges a use twice', rule: 'distinct-counts', hears: firstGrantOfTicket() },
  {
    what: 'acknowledges a use that is not in the log',
    rule: 'acknowledged-is-stored',
    asks: instead('consume', 'validate'),
    hears: (decision, { operation, now }) => {
      if (operation !== 'consume' || decision.status !== 'validated') return decision;
      const usesConsumed = decision.ticket.usesConsumed + 1;
      const ticket = { ...decision.ticket, usesConsumed };
      return { ...decision, status: 'consumed', ticket, scannedAt: now };
    },
  },
  {
    what: 'denies a use without a cause',
    rule: 'refused-with-cause',
    asks: instead('consume', 'validate'),
    hears: (decision, { operation }) =>
      operation === 'consume' && decision.status === 'validated'
        ? { ...decision, status: 'exhausted' }
        : decision,
  },
  {
    what: 'takes a use at a look',
    rule: 'nothing-else-changed',
    asks: instead('validate', 'consume'),
    hears: (decision, { operation }) =>
      operation === 'validate' && decision.status === 'consumed'
        ? { ...decision, status: 'validated' }
        : decision,
  },
];

test.each(FAULTS)('the judge refuses a service that $what', async ({ rule, ...fault }) => {
  await using service = await startExploredService('memory', 0, planted(fault));
  const { problems } = await exploreAndJudge(service, { seed: SEED, budget: BUDGET });

  expect(
    problems.map((problem) => problem.rule),
    `seed ${SEED}`,
  ).toContain(rule);
});

test('the judge sees a time that is not in the log, which the explorer cannot see', async () => {
  const late = planted({
    hears: (decision) =>
      decision.status === 'consumed'
        ? { ...decision, scannedAt: decision.scannedAt + 1 }
        : decision,
  });
  await using service = await startExploredService('memory', 0, late);
  const { result, problems } = await exploreAndJudge(service, { seed: SEED, budget: BUDGET });

  expect(result.failure, `seed ${SEED}`).toBe(null);
  expect(new Set(problems.map(({ rule }) => rule))).toEqual(new Set(['acknowledged-is-stored']));
});

function planted({ asks, hears }: Pick<Fault, 'asks' | 'hears'>): AlterCommit {
  return (commit) => async (requests) => {
    const asked = requests.map((one) => (one.kind === 'scan' && asks ? asks(one) : one));
    const { outcomes, revision } = await commit(asked);
    const heard = outcomes.map((outcome, index) => {
      const request = requests[index] as BatchRequest;
      if (outcome.kind !== 'decided' || request.kind !== 'scan' || !hears) return outcome;
      return { ...outcome, decision: hears(outcome.decision, request) };
    });
    return { outcomes: heard, revision };
  };
}

function instead(of: Operation, operation: Operation): NonNullable<Fault['asks']> {
  return (request) => (request.operation === of ? { ...request, operation, retry: null } : request);
}

/** Whoever uses a ticket hears what its first visitor heard. */
function firstGrantOfTicket(): NonNullable<Fault['hears']> {
  const first = new Map<string, EncodedDecision>();
  return (decision) => {
    if (decision.status !== 'consumed') return decision;
    const { id } = decision.ticket;
    first.set(id, first.get(id) ?? decision);
    return first.get(id) ?? decision;
  };
}
