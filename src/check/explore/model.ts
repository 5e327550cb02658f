import { isNearOtherSide } from '../deployment/read-target.ts';
import { allowedUsesOf, type TargetTicket, type TicketKind } from '../deployment/target.ts';
import { describeAnswer, isConsume, isRest } from '../facts/exchange.ts';
import { isRecord, show } from '../facts/json.ts';
import { readTimestamp } from '../facts/timestamp.ts';
import { isEchoOf } from '../law/echo.ts';
import { TicketFacts } from '../law/ticket-facts.ts';
import { judgeUses, type Uses } from '../law/uses.ts';
import { expectationOf } from './expectation.ts';
import {
  countedAnswer,
  isCounted,
  isUnanswered,
  isUse,
  type Observation,
  type Violation,
} from './observation.ts';
import { ScanTimes } from './scan-times.ts';

/** More uses than any ticket has: what an unseen ticket may have behind it. */
const UNSEEN_MAX = 9999;
/** Clocks differ, and a request takes its time. */
const WINDOW_MARGIN_MS = 60_000;

const RULES = { leak: 'leak', changed: 'facts-changed' } as const;

/**
 * The specification as a state machine: which answers are allowed after those that came before. Written from the
 * specification alone; where it is silent, every answer that it could mean is allowed.
 */
export class Model {
  readonly #uses = new Map<string, Uses>();
  readonly #facts = new TicketFacts();
  readonly #times = new ScanTimes();

  /** Says what is known about a ticket before its first answer; it may have some uses already. */
  addTicket(ticket: TargetTicket, kind: TicketKind): void {
    if (this.#uses.has(ticket.code)) return;
    this.#facts.add(ticket);
    const allowed = allowedUsesOf(ticket, kind);
    const unseen = allowed ?? UNSEEN_MAX;
    this.#uses.set(ticket.code, { taken: 0, unseen, pending: 0, base: undefined, allowed });
  }

  usesOf(code: string): Uses | undefined {
    return this.#uses.get(code);
  }

  /** Takes the answers of one group into account. @returns the first contradiction, else a missing answer */
  judge(observations: readonly Observation[]): Violation | undefined {
    return this.#contradictionIn(observations) ?? missingAnswer(observations);
  }

  #contradictionIn(observations: readonly Observation[]): Violation | undefined {
    for (const at of observations) {
      const violation = this.#judgeOne(at);
      if (violation) return violation;
    }
    const genuine = observations.filter(({ step }) => step.forge === undefined);
    for (const [code, about] of Map.groupBy(genuine, ({ ticket }) => ticket?.code)) {
      const violation = code === undefined ? undefined : this.#judgeTicket(code, about);
      if (violation) return violation;
    }
    return this.#times.judge(observations);
  }

  #judgeOne(at: Observation): Violation | undefined {
    const { outcome, step, ticket, answer } = at;
    if (outcome === 'limited' || !answer) return undefined;
    if (ticket && isNearWindowEnd(ticket, step.ticket?.kind, at.wallEndedAt)) return undefined;
    const { allows, section, text } = expectationOf(step);
    if (!allows(outcome)) {
      const rule = outcome === 'error' ? 'server-error' : 'wrong-answer';
      return { rule, section, expected: text, observed: describeAnswer(answer), at };
    }
    return echoViolation(at) ?? arithmeticViolation(at) ?? this.#judgeFacts(at);
  }

  #judgeFacts(at: Observation): Violation | undefined {
    const { ticket, answer, step } = at;
    if (!ticket || !answer) return undefined;
    const about = { code: ticket.code, endpoint: step.endpoint, answer };
    const wrong = this.#facts.wrongIn(about);
    if (!wrong) {
      this.#facts.learn(about);
      return undefined;
    }
    const { kind, expected, observed } = wrong;
    return { rule: RULES[kind], section: '2.3', expected, observed, at };
  }

  #judgeTicket(code: string, about: readonly Observation[]): Violation | undefined {
    const uses = this.#uses.get(code);
    if (!uses) return undefined;
    const lost = about.filter(
      ({ outcome, step }) => outcome === 'lost' && isConsume(step.endpoint),
    ).length;
    const counted = withoutRepeats(about.filter(isCounted));
    const result = judgeUses(uses, counted.map(countedAnswer), lost);
    if ('violation' in result) return { ...result.violation, section: '3.2' };
    this.#uses.set(code, result.uses);
    return undefined;
  }
}

/**
 * A request that was sent again may take a use of its own, or get the answer of the first: a grant that says the same
 * is then one use, seen when it was first answered.
 */
function withoutRepeats(observations: readonly Observation[]): readonly Observation[] {
  const grants = new Set<string>();
  return observations
    .toSorted((a, b) => a.endedAt - b.endedAt)
    .filter((at) => {
      const { retryOf, used } = at;
      if (retryOf === undefined || !isUse(at)) return true;
      const name = `${retryOf} ${used}`;
      if (grants.has(name)) return false;
      grants.add(name);
      return true;
    });
}

function missingAnswer(observations: readonly Observation[]): Violation | undefined {
  const at = observations.find(isUnanswered);
  if (!at) return undefined;
  const observed = at.failure?.message ?? 'no answer';
  return { rule: 'no-answer', section: '1', expected: 'a complete answer', observed, at };
}

/** Section 4.5: the value of Key is taken from the request, and from no other. */
function echoViolation(at: Observation): Violation | undefined {
  if (at.outcome !== 'confirmed' || !isRecord(at.answer?.json)) return undefined;
  const { Key } = at.answer.json;
  if (isEchoOf(at.request, Key)) return undefined;
  const expected = 'Key: a value of this request';
  return { rule: 'echo', section: '4.5', expected, observed: `Key: ${show(Key)}`, at };
}

/** Section 2.3: usesRemaining is usesAllowed minus usesConsumed. */
function arithmeticViolation(at: Observation): Violation | undefined {
  const body = at.answer?.json;
  if (!isRest(at.step.endpoint) || !isRecord(body)) return undefined;
  const { usesAllowed, usesConsumed, usesRemaining } = body;
  if (usesRemaining === undefined) return undefined;
  if (Number(usesAllowed) - Number(usesConsumed) === usesRemaining) return undefined;
  const expected = 'usesRemaining = usesAllowed - usesConsumed';
  const observed = show({ usesAllowed, usesConsumed, usesRemaining });
  return { rule: 'arithmetic', section: '2.3', expected, observed, at };
}

/** True while a ticket's window may just be opening or closing, and once that changed its kind: then either answer is right. */
function isNearWindowEnd(ticket: TargetTicket, kind: TicketKind | undefined, now: number): boolean {
  if (kind !== undefined && isNearOtherSide(kind, ticket, now, WINDOW_MARGIN_MS)) return true;
  return [ticket.validFrom, ticket.validUntil].some((end) => {
    const moment = readTimestamp(end);
    return moment?.hasZone === true && Math.abs(moment.epochMs - now) < WINDOW_MARGIN_MS;
  });
}
