import { describe, expect, test } from 'vitest';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import type { Operation } from '../../src/core/decision.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { AskedRequest, ScanOutcome, ScanSubject } from '../../src/core/scan-requests.ts';
import { makeTicketCode, verifyTicketCode } from '../../src/core/ticket-code.ts';
import { explain } from '../../src/features/explain/explain.ts';
import { explainLogEntry, gatherFacts } from '../../src/features/explain/explain-scan.ts';
import type { Explanation, ExplanationStep, Rule } from '../../src/features/explain/explanation.ts';
import { outcomeOn } from '../../src/features/explain/scan-facts.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { fc } from '../support/fast-check.ts';
import { statusOfOutcome, TestStore } from '../support/stores.ts';

const HOUR = 3_600_000;
const keyring = temporaryKeyring();
const offset = fc.constantFrom(null, -2 * HOUR, -HOUR, 0, HOUR, 2 * HOUR);

const situation = fc.record({
  uses: fc.integer({ min: 2, max: 3 }),
  used: fc.nat({ max: 3 }),
  from: offset,
  until: offset,
  cancelled: fc.boolean(),
  stored: fc.integer({ min: 0, max: 3 }).map((die) => die > 0),
  code: fc.constantFrom('genuine', 'genuine', 'genuine', 'genuine', 'forged', 'none'),
  key: fc.constantFrom('all', 'all', 'scoped', 'foreign', 'disabled', 'deleted'),
  event: fc.constantFrom('main', 'main', 'other'),
  limited: fc.integer({ min: 0, max: 5 }).map((die) => die === 0),
  quota: fc.integer({ min: 0, max: 5 }).map((die) => (die > 0 ? DEFAULT_LIMITS.quotaPerMonth : 1)),
  operation: fc.constantFrom<Operation>('validate', 'consume'),
});
type Situation = typeof situation extends fc.Arbitrary<infer Value> ? Value : never;

interface ExchangeContext {
  readonly request: AskedRequest;
  readonly code: string | undefined;
}

/** Brings the store into that situation, with organisations of its own. */
async function arrange(
  gate: TestStore,
  options: Situation,
  name: string,
): Promise<ExchangeContext> {
  const { administration } = gate;
  const limits = { ...DEFAULT_LIMITS, keysMax: 9 };
  const [own, foreign] = [`own ${name}`, `foreign ${name}`];
  for (const one of [own, foreign]) await administration.organisations.create(one, limits);
  const main = await administration.events.create('main', own);
  const other = await administration.events.create('other', own);
  const ticketId = await arrangeTicket(
    gate,
    options,
    (options.event === 'main' ? main : other).id,
    own,
  );
  const organisation = options.key === 'foreign' ? foreign : own;
  const keyId = await arrangeKey(
    gate,
    options,
    organisation,
    options.key === 'scoped' ? [main.id] : 'all',
  );
  const genuine = makeTicketCode(ticketId, keyring, 'TS1');
  const code = { genuine, forged: `${genuine}x`, none: undefined }[options.code];
  const { operation } = options;
  const scan = gate.request('', { keyId, operation, subject: subjectOf(code) });
  return { request: options.limited ? { ...gate.limited(), keyId } : scan, code };
}

/** Makes the ticket with as many uses taken as wished, as far as its window lets them be. */
async function arrangeTicket(
  gate: TestStore,
  { uses, used, from, until, stored, cancelled }: Situation,
  eventId: string,
  organisation: string,
): Promise<string> {
  if (!stored) return `tkt_${eventId}_01234567890123456789`;
  const at = (ms: number | null) => (ms === null ? null : gate.clock.now() + ms);
  const isWindow = from === null || until === null || from <= until;
  const window = isWindow ? { validFrom: at(from), validUntil: at(until) } : {};
  const { id } = await gate.mint({ kind: 'multi', uses, eventId, ...window });
  const newKey = { name: 'gate', type: 'api', events: 'all', organisation } as const;
  const { key } = await gate.administration.keys.create(newKey);
  for (let use = 0; use < Math.min(used, uses); use += 1) {
    await gate.scan(gate.request(id, { keyId: key.id }));
  }
  if (cancelled) await gate.store.cancelTickets([id], gate.clock.now(), AN_AUDIT_ENTRY);
  return id;
}

/** A quota of one is used up at once. */
async function arrangeKey(
  gate: TestStore,
  options: Situation,
  organisation: string,
  events: 'all' | string[],
): Promise<string> {
  const { administration } = gate;
  const { key } = await administration.keys.create({
    name: 'k',
    type: 'api',
    events,
    organisation,
  });
  await administration.organisations.edit(organisation, {
    limits: { quotaPerMonth: options.quota },
  });
  if (options.quota === 1) {
    await gate.scan(gate.request('', { keyId: key.id, subject: { kind: 'unreadable' } }));
  }
  if (options.key === 'disabled') await administration.keys.edit(key.id, { active: false });
  if (options.key === 'deleted') await administration.keys.delete(key.id);
  return key.id;
}

function subjectOf(code: string | undefined): ScanSubject {
  if (code === undefined) return { kind: 'unreadable' };
  const verified = verifyTicketCode(code, keyring);
  if (!verified) return { kind: 'forged', excerpt: '' };
  return { kind: 'ticket', ticketId: verified.ticketId, eventId: verified.eventId };
}

/** Whether a rule lets a scan through, judged by the facts of its step alone. */
const LETS_THROUGH: Partial<Record<Rule, (facts: ExplanationStep['facts']) => boolean>> = {
  key: ({ active }) => active === true,
  quota: ({ requestsInMonth, quotaPerMonth }) => Number(requestsInMonth) < Number(quotaPerMonth),
  signature: ({ genuine }) => genuine === true,
  existence: ({ exists }) => exists === true,
  cancelled: ({ cancelledAt }) => cancelledAt === null,
  valid_from: ({ validFrom, now }) => validFrom === null || String(validFrom) <= String(now),
  valid_until: ({ validUntil, now }) => validUntil === null || String(now) <= String(validUntil),
  uses: ({ usesRemaining }) => Number(usesRemaining) > 0,
};

function expectSound({ steps, granted }: Explanation): void {
  const results = steps.map(({ result }) => result);
  const stop = results.indexOf('stopped');
  const passed = stop === -1 ? results : results.slice(0, stop);
  expect(new Set(passed)).toEqual(new Set(passed.length > 0 ? ['passed'] : []));
  expect(stop === -1).toBe(granted);
  if (stop !== -1) expect(results.slice(stop + 1).every((one) => one === 'not_reached')).toBe(true);
  for (const { rule, result, facts } of steps) {
    if (result === 'not_reached' || Object.keys(facts).length === 0) continue;
    const lets = LETS_THROUGH[rule]?.(facts);
    if (lets !== undefined && result !== 'not_asked')
      expect([rule, lets]).toEqual([rule, result === 'passed']);
  }
}

const answerIn = ({ answer, reason }: Explanation) => reason ?? answer;

describe.each(['memory', 'postgres'] as const)('%s', (engine) => {
  const numRuns = engine === 'memory' ? 600 : 30;
  test('an explanation ends with what the store answers, and its facts say the same', async () => {
    await using gate = await TestStore.open(engine);
    let number = 0;
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(situation, async (options) => {
        number += 1;
        const { request, code } = await arrange(gate, options, `${number}`);
        const question = { keyId: request.keyId, ticketCode: code, now: request.now };
        const facts = await gatherFacts(gate.store, keyring, question);
        const foretold = outcomeOn(facts, request);
        const [outcome] = (await gate.scan(request)) as [ScanOutcome];
        expect(foretold).toEqual(outcome);
        const explanation = explain(request, facts, foretold);
        expect(answerIn(explanation)).toBe(statusOfOutcome(outcome));
        expectSound(explanation);
        if (outcome.kind === 'decided') {
          const [entry] = await gate.store.readLog({ limit: 1 });
          if (!entry) throw new Error('the scan is not in the log');
          const later = (await explainLogEntry(gate.store, entry)) as Explanation;
          expect(answerIn(later)).toBe(statusOfOutcome(outcome));
        }
        seen.set(statusOfOutcome(outcome), (seen.get(statusOfOutcome(outcome)) ?? 0) + 1);
      }),
      { numRuns },
    );
    // A property that never met an answer proves nothing about it.
    if (engine === 'memory') expect([...seen.keys()].sort()).toEqual(EVERY_ANSWER);
  });
});

const EVERY_ANSWER = [
  'consumed',
  'event_not_allowed',
  'exhausted',
  'expired',
  'invalid_ticket',
  'key_refused',
  'limited',
  'missing_ticket_code',
  'not_found',
  'not_yet_valid',
  'quota_exceeded',
  'ticket_cancelled',
  'validated',
];
