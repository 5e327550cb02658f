import {
  KEY_NAMES,
  NEVER_CONSUMABLE,
  type Target,
  type TargetTicket,
} from '../deployment/target.ts';
import { mayTakeUse, type RequestSpec } from '../facts/exchange.ts';
import { CheckerBug } from '../facts/failures.ts';

/**
 * The last line of defence without consent, against any mistake of a case: nothing that is made of a ticket which could be
 * spent reaches a consume endpoint, and no intact ticket does so with a key that might be accepted.
 * @throws CheckerBug before the request is sent
 */
export function refuseToSpend(spec: RequestSpec, target: Target): void {
  if (!mayTakeUse(spec)) return;
  const sent = codesIn(spec);
  for (const [kind, tickets] of Object.entries(target.tickets)) {
    const isSpent = (NEVER_CONSUMABLE as readonly string[]).includes(kind);
    const isWrong = isSpent
      ? ({ code }: TargetTicket) => sent.includes(code) && mayBeAccepted(spec, target)
      : (ticket: TargetTicket) => sent.some((code) => isMadeOf(ticket, code));
    if (tickets.some(isWrong))
      throw new CheckerBug(
        `a "${kind}" ticket was about to be sent to ${spec.path} without consent`,
      );
  }
}

/** Everything in a request that a server could take for a code, encoded or not. */
function codesIn({ query = [], body = '' }: RequestSpec): string[] {
  const text = Buffer.from(body).toString('utf8');
  const quoted = text.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  const texts = [
    text,
    ...quoted.map((one) => one.slice(1, -1)),
    ...query.map(([, value]) => value),
  ];
  return [...texts, ...texts.map((one) => Buffer.from(one, 'base64').toString('utf8'))];
}

function isMadeOf({ code }: TargetTicket, sent: string): boolean {
  const identifier = code.split('.')[1];
  return sent.includes(code) || (identifier !== undefined && sent.includes(identifier));
}

/** True when the only key in the right place is one that a right server accepts. */
function mayBeAccepted({ headers = [], query = [], path }: RequestSpec, { keys }: Target): boolean {
  const given = path.includes('/hw/')
    ? query.filter(([name]) => name === 'key')
    : headers.filter(([name]) => name.toLowerCase() === 'x-api-key');
  const name = KEY_NAMES.find((one) => keys[one] === given[0]?.[1]);
  const isGood = name !== undefined && !/disabled|deleted|quota/i.test(name);
  return given.length === 1 && isGood && path.includes('/hw/') === name.startsWith('hardware');
}
