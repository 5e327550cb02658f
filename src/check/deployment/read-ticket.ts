import { didYouMean, nearest } from '../../kit/nearest.ts';
import { isRecord, type JsonRecord } from '../facts/json.ts';
import { readTimestamp } from '../facts/timestamp.ts';
import { CheckUsageError, type Resolve, type TargetTicket } from './target.ts';

const CODE_CHARACTERS_MAX = 1000;
/** Other members are ignored, such as those of a list that a shop exports: unless they look like one of these, mistyped. */
const MEMBERS: readonly string[] = [
  ...['code', 'ticketId', 'usesAllowed', 'holder', 'validFrom', 'validUntil', 'inScope'],
  ...['event', 'ticketType'],
];
const HOLDER_MEMBERS = ['firstName', 'lastName'];
const SLIPS_MAX = 2;

/** A ticket of a target. @param where its place: `tickets.single[0]` @throws CheckUsageError naming the member that is wrong */
export function readTicket(value: unknown, where: string, resolve: Resolve): TargetTicket {
  const ticket = typeof value === 'string' ? { code: value } : value;
  if (!isRecord(ticket) || typeof ticket['code'] !== 'string' || ticket['code'] === '') {
    throw new CheckUsageError(`"${where}" must be a ticket code or an object with a "code".`);
  }
  refuseMistypedMember(ticket, where);
  refuseOtherTypes(ticket, where);
  const { holder, validFrom, validUntil, ...rest } = ticket;
  return {
    ...rest,
    ...(isRecord(holder) ? { holder } : {}),
    ...momentIn({ validFrom }, where),
    ...momentIn({ validUntil }, where),
    code: usableCode(resolve(ticket['code'], where), where),
  } as TargetTicket;
}

function refuseMistypedMember(ticket: JsonRecord, where: string): void {
  for (const name of Object.keys(ticket).filter((one) => !MEMBERS.includes(one))) {
    const meant = nearest(name, MEMBERS, SLIPS_MAX);
    if (meant === undefined || Math.abs(meant.length - name.length) > SLIPS_MAX) continue;
    throw new CheckUsageError(
      `"${where}.${name}" is not a member of a ticket. Did you mean "${meant}"?`,
    );
  }
}

function refuseOtherTypes(ticket: JsonRecord, where: string): void {
  const { ticketId, usesAllowed, holder, inScope } = ticket;
  if (ticketId !== undefined && typeof ticketId !== 'string')
    throw new CheckUsageError(`"${where}.ticketId" must be a string.`);
  if (usesAllowed !== undefined && !(Number.isInteger(usesAllowed) && Number(usesAllowed) > 0))
    throw new CheckUsageError(`"${where}.usesAllowed" must be a whole number above 0.`);
  if (inScope !== undefined && typeof inScope !== 'boolean')
    throw new CheckUsageError(`"${where}.inScope" must be true or false.`);
  if (holder !== undefined && holder !== null) refuseOtherHolder(holder, `${where}.holder`);
}

function refuseOtherHolder(holder: unknown, where: string): void {
  if (!isRecord(holder)) throw new CheckUsageError(`"${where}" must be an object.`);
  for (const [name, text] of Object.entries(holder).filter(([one]) => !one.startsWith('//'))) {
    if (!HOLDER_MEMBERS.includes(name)) {
      const known = `Known members: ${HOLDER_MEMBERS.join(', ')}.`;
      const meant = didYouMean(name, HOLDER_MEMBERS).trim() || known;
      throw new CheckUsageError(`"${where}.${name}" is not a member of a holder. ${meant}`);
    }
    if (typeof text !== 'string') throw new CheckUsageError(`"${where}.${name}" must be a string.`);
  }
}

/** Reads the beginning or the end of a window. `null` means that the window is open there. */
function momentIn(member: JsonRecord, where: string): JsonRecord {
  const [[name, value] = ['', undefined]] = Object.entries(member);
  if (value === undefined || value === null) return {};
  if (readTimestamp(value) !== undefined) return member;
  throw new CheckUsageError(
    `"${where}.${name}" must be an ISO 8601 timestamp such as 2027-09-30T18:00:00Z, or null, and not ${JSON.stringify(value)}.`,
  );
}

/** No code of a ticket is as long as a private key or another file, has several lines, or begins or ends with a blank. */
function usableCode(code: string, where: string): string {
  if (code.length > CODE_CHARACTERS_MAX || /[\r\n]/.test(code.trim()))
    throw new CheckUsageError(
      `"${where}" is not a ticket code: it has several lines, or more than ${CODE_CHARACTERS_MAX} characters. Nothing was sent.`,
    );
  if (code === code.trim()) return code;
  throw new CheckUsageError(
    `"${where}" begins or ends with a blank or a line end, and a ticket code does not: remove it. Nothing was sent.`,
  );
}
