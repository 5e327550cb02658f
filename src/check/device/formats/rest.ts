import { isRecord, parsedJson } from '../../facts/json.ts';
import type { Answer } from '../wire/answer.ts';
import { pathOf } from '../wire/seen-request.ts';
import { type DenialKind, type Format, jsonAnswer, STATUS_OF } from './format.ts';
import { atScanUrls } from './scan-urls.ts';

const TICKET = { ticketId: 'tkt_check1_0123456789abcdefghij', ticketType: 'multi' } as const;
const USED_UP = { usesAllowed: 10, usesConsumed: 10, usesRemaining: 0 } as const;
const LEFT = { usesAllowed: 10, usesConsumed: 1, usesRemaining: 9 } as const;
const NO_WINDOW = { validFrom: null, validUntil: null } as const;

const MESSAGES: Readonly<Record<DenialKind, string>> = {
  exhausted: 'Alle Einlässe dieser Karte sind verbraucht',
  forged: 'The ticket is not genuine',
  expired: 'This ticket has expired',
  notYetValid: 'This ticket is not valid yet',
  unknown: 'There is no such ticket',
  outOfScope: 'This gate has no access to the event of the ticket',
  refusedKey: 'Forbidden',
  unreadable: 'ticketCode is missing',
  limited: 'Too Many Requests',
  failed: 'Internal Server Error',
};

const REASON_OF: Readonly<Partial<Record<DenialKind, string>>> = {
  forged: 'invalid_ticket',
  expired: 'expired',
  notYetValid: 'not_yet_valid',
  outOfScope: 'event_not_allowed',
  unreadable: 'missing_ticket_code',
};

/** Own software at the REST endpoints (sections 2.3, 4.1, 4.2 and 7.2). */
export const rest: Format = atScanUrls({
  id: 'rest',
  features: { note: true },
  read(body) {
    const fields = parsedJson(body);
    if (!isRecord(fields) || !('ticketCode' in fields)) return undefined;
    const code = fields['ticketCode'];
    return { code: typeof code === 'string' ? code : undefined };
  },
  grant({ note, name, used = 1, allowed = 10 }, request) {
    const consumes = pathOf(request).endsWith('/consume');
    return jsonAnswer(200, {
      valid: true,
      status: consumes ? 'consumed' : 'validated',
      message: note,
      ...TICKET,
      usesAllowed: allowed,
      usesConsumed: used,
      usesRemaining: allowed - used,
      holder: { firstName: name, lastName: '' },
      ...NO_WINDOW,
      ...(consumes ? { scannedAt: new Date().toISOString() } : {}),
    });
  },
  denial,
  textOf: (kind) => MESSAGES[kind],
});

function denial(kind: DenialKind): Answer {
  const status = STATUS_OF[kind];
  const message = MESSAGES[kind];
  if (kind === 'refusedKey' || kind === 'limited' || kind === 'failed')
    return jsonAnswer(status, { message });
  if (kind === 'exhausted')
    return jsonAnswer(status, {
      valid: false,
      status: 'exhausted',
      message,
      ...TICKET,
      ...USED_UP,
    });
  if (kind === 'unknown') return jsonAnswer(status, { valid: false, status: 'not_found', message });
  const reason = REASON_OF[kind];
  const rejected = { valid: false, status: 'rejected', reason, message };
  if (kind !== 'expired' && kind !== 'notYetValid') return jsonAnswer(status, rejected);
  const window =
    kind === 'expired'
      ? { validFrom: null, validUntil: '2020-01-01T00:00:00.000Z' }
      : { validFrom: '2099-01-01T00:00:00.000Z', validUntil: null };
  return jsonAnswer(status, { ...rejected, ...TICKET, ...LEFT, ...window });
}
