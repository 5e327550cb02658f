import { isRecord, show, stringsIn } from '../../facts/json.ts';
import { describeAnswer } from '../../requests/exchange.ts';
import type { TargetTicket, TicketKind } from '../../target/target.ts';
import { consumes, isDevice } from '../histories/history.ts';
import type { Observation } from '../run/observation.ts';
import { expectationOf } from './expectation.ts';
import { countsIn, type Meaning, meaningOf } from './meaning.ts';
import { ScanTimes } from './scan-times.ts';
import { TicketFacts } from './ticket-facts.ts';
import { judgeUses, type Uses } from './uses.ts';
import type { Violation } from './violation.ts';
import { isNearWindowEnd } from './window.ts';

/** More uses than any ticket has: what an unseen ticket may have behind it. */
const UNSEEN_MAX = 9999;
const ALLOWED_OF_KIND: Partial<Record<TicketKind, number>> = {
  single: 1,
  hundred: 100,
  permanent: 9999,
};

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
    const allowed = ticket.usesAllowed ?? ALLOWED_OF_KIND[kind];
    this.#uses.set(ticket.code, {
      taken: 0,
      unseen: allowed ?? UNSEEN_MAX,
      pending: 0,
      base: undefined,
      allowed,
    });
  }

  usesOf(code: string): Uses | undefined {
    return this.#uses.get(code);
  }

  /** Takes the answers of one group into account. @returns the first contradiction */
  judge(observations: readonly Observation[]): Violation | undefined {
    const judged = observations.map((at) => ({ at, meaning: meaningOf(at) }));
    for (const { at, meaning } of judged) {
      const violation = this.#judgeOne(at, meaning);
      if (violation) return violation;
    }
    const codes = new Set(observations.flatMap(({ ticket }) => ticket?.code ?? []));
    for (const code of codes) {
      const violation = this.#judgeTicket(
        code,
        judged.filter(({ at }) => at.ticket?.code === code && !at.step.card?.forged),
      );
      if (violation) return violation;
    }
    return this.#times.judge(observations);
  }

  #judgeOne(at: Observation, meaning: Meaning): Violation | undefined {
    if (meaning === 'lost') return lostAnswer(at);
    if (meaning === 'limited') return undefined;
    if (at.ticket && isNearWindowEnd(at.ticket, at.step.card?.ticket.kind)) return undefined;
    const expectation = expectationOf(at.step);
    if (!expectation.allows(meaning)) {
      const observed = at.answer ? describeAnswer(at.answer) : 'no answer';
      const rule = meaning === 'fault' ? 'server-error' : 'wrong-answer';
      return { rule, section: expectation.section, expected: expectation.text, observed, at };
    }
    return echoViolation(at, meaning) ?? arithmeticViolation(at) ?? this.#facts.judge(at, meaning);
  }

  #judgeTicket(
    code: string,
    judged: readonly { readonly at: Observation; readonly meaning: Meaning }[],
  ): Violation | undefined {
    const uses = this.#uses.get(code);
    if (!uses) return undefined;
    const lost = judged.filter(({ at, meaning }) => meaning === 'lost' && consumes(at.step.action));
    const counted = withoutRepeats(
      judged.filter(({ meaning }) => ['validated', 'consumed', 'exhausted'].includes(meaning)),
    );
    const result = judgeUses(uses, counted, lost.length);
    if ('violation' in result) return result.violation;
    this.#uses.set(code, result.uses);
    return undefined;
  }
}

/**
 * A request that was sent again may take a use of its own, or get the answer of the first: a grant that says the same
 * is then one use, seen when it was first answered.
 */
function withoutRepeats<Judged extends { readonly at: Observation; readonly meaning: Meaning }>(
  judged: readonly Judged[],
): readonly Judged[] {
  const grants = new Set<string>();
  return judged
    .toSorted((a, b) => a.at.endedAt - b.at.endedAt)
    .filter(({ at, meaning }) => {
      if (at.retryOf === undefined || meaning !== 'consumed' || !at.answer) return true;
      const name = `${at.retryOf} ${countsIn(at.answer).used}`;
      if (grants.has(name)) return false;
      grants.add(name);
      return true;
    });
}

/** A request that was given up, or sent when the server had just closed the connection, may stay without an answer. */
function lostAnswer(at: Observation): Violation | undefined {
  const kind = at.failure?.kind;
  if (at.step.abandoned || (at.mayBeReset && kind === 'reset')) return undefined;
  if (at.mayBeCut && (kind === 'reset' || kind === 'incomplete')) return undefined;
  return {
    rule: 'no-answer',
    section: '1',
    expected: 'a complete answer',
    observed: at.failure?.message ?? 'no answer',
    at,
  };
}

/** Section 4.5: the value of Key is taken from the request, and from no other. */
function echoViolation(at: Observation, meaning: Meaning): Violation | undefined {
  if (meaning !== 'alive' || !isRecord(at.answer?.json)) return undefined;
  const { Key } = at.answer.json;
  const body: unknown = at.request.body ? JSON.parse(String(at.request.body)) : {};
  const sent = [
    ...(at.request.query ?? []).map(([, value]) => value),
    ...[...stringsIn(body)].map(({ text }) => text),
  ];
  if (sent.includes(String(Key))) return undefined;
  const expected = 'Key: a value of this request';
  return { rule: 'echo', section: '4.5', expected, observed: `Key: ${show(Key)}`, at };
}

/** Section 2.3: usesRemaining is usesAllowed minus usesConsumed. */
function arithmeticViolation(at: Observation): Violation | undefined {
  const body = at.answer?.json;
  if (isDevice(at.step.action) || !isRecord(body)) return undefined;
  const { usesAllowed, usesConsumed, usesRemaining } = body;
  if (usesRemaining === undefined) return undefined;
  if (Number(usesAllowed) - Number(usesConsumed) === usesRemaining) return undefined;
  return {
    rule: 'arithmetic',
    section: '2.3',
    expected: 'usesRemaining = usesAllowed - usesConsumed',
    observed: show({ usesAllowed, usesConsumed, usesRemaining }),
    at,
  };
}
