/** An answer as it stood on the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

type Check = (answer: WireAnswer) => boolean;

const rest =
  (status: number, members: Record<string, unknown>, exactly?: readonly string[]): Check =>
  ({ status: got, headers, body }) => {
    const json = parsed(body);
    if (got !== status || !isJson(headers) || json === undefined) return false;
    if (exactly && !sameNames(Object.keys(json), exactly)) return false;
    return Object.entries(members).every(([name, value]) => json[name] === value);
  };

/** Sections 2.3 and 7.2: which members an answer has, and no others. */
const REJECTED = ['valid', 'status', 'reason', 'message'];
const GENERAL = ['valid', 'status', 'message'];
/** The members of a personalised ticket. */
const OPTIONAL = ['holder', 'validFrom', 'validUntil'];
const USES = ['ticketId', 'ticketType', 'usesAllowed', 'usesConsumed', 'usesRemaining'];
const rejected = (reason: string, status = 200, more: readonly string[] = []) =>
  rest(status, { valid: false, status: 'rejected', reason }, [...REJECTED, ...more]);
const text =
  (status: number, wanted: string): Check =>
  ({ status: got, body }) =>
    got === status && body === wanted;
const controller = (status: number, Note: string) =>
  text(status, JSON.stringify({ AcsRes: '0', ActIndex: '0', Time: '0', Note }));
const PANEL_DENIED = '{"handled":true,"access":{"granted":false}}';

/** What docs/testing/api.md, docs/devices/devices.md and the specification say for each name in the contract. */
const DOCUMENTED: Readonly<Record<string, Check>> = {
  validated: rest(200, { valid: true, status: 'validated' }, [...GENERAL, ...USES, ...OPTIONAL]),
  exhausted: rest(200, { valid: false, status: 'exhausted', usesRemaining: 0 }, [
    ...GENERAL,
    ...USES,
  ]),
  missing_ticket_code: rejected('missing_ticket_code', 400),
  invalid_ticket: rejected('invalid_ticket'),
  event_not_allowed: rejected('event_not_allowed', 403),
  ticket_cancelled: rejected('ticket_cancelled', 200, USES),
  not_yet_valid: rejected('not_yet_valid', 200, [...USES, 'validFrom', 'validUntil']),
  expired: rejected('expired', 200, [...USES, 'validFrom', 'validUntil']),
  not_found: rest(404, { valid: false, status: 'not_found' }, GENERAL),
  forbidden: text(401, '{"message":"Forbidden"}'),
  retry_name_refused: rest(422, {}, ['message']),
  not_found_page: text(404, '{"message":"Not Found"}'),
  method_not_allowed: (answer) => answer.status === 405 && answer.headers.get('allow') === 'POST',
  method_not_allowed_head: (answer) =>
    answer.status === 405 && answer.headers.get('allow') === 'POST' && answer.body === '',
  consumed: rest(200, { valid: true, status: 'consumed' }, [
    ...GENERAL,
    ...USES,
    ...OPTIONAL,
    'scannedAt',
  ]),
  hw_granted: rest(200, { AcsRes: '1', Name: 'Erika Muster' }),
  hw_unreadable: controller(400, 'Ungültiges Ticket'),
  hw_invalid_ticket: controller(200, 'Ungültiges Ticket'),
  hw_exhausted: controller(200, 'Ticket erschöpft'),
  hw_cancelled: controller(200, 'Ticket storniert'),
  hw_not_yet_valid: controller(200, 'Noch nicht gültig'),
  hw_expired: controller(200, 'Ticket abgelaufen'),
  hw_not_found: controller(200, 'Ticket nicht gefunden'),
  hw_event_not_allowed: controller(403, 'Kein Zugriff'),
  hw_forbidden: controller(401, 'Kein Zugriff'),
  hw_not_found_page: controller(404, 'Ungültiges Ticket'),
  hw_method_not_allowed: (answer) =>
    controller(405, 'Ungültiges Ticket')(answer) && answer.headers.get('allow') === 'POST',
  hw_timeout: controller(408, 'Ungültiges Ticket'),
  hw_too_large: controller(431, 'Ungültiges Ticket'),
  bas_ip_granted: text(200, '{"handled":true,"access":{"granted":true,"lock_number":1}}'),
  bas_ip_denied: text(200, PANEL_DENIED),
  bas_ip_unreadable: text(400, PANEL_DENIED),
  bas_ip_out_of_scope: text(403, PANEL_DENIED),
  bas_ip_forbidden: text(401, PANEL_DENIED),
  vguang_granted: text(200, 'code=0000'),
  vguang_denied: text(200, 'code=0001'),
  vguang_unreadable: text(400, 'code=0001'),
  vguang_out_of_scope: text(403, 'code=0001'),
  vguang_forbidden: text(401, 'code=0001'),
  alive: rest(200, {}, ['Key']),
  http_refused: (answer) => answer.status === 400,
  http_too_large: (answer) => answer.status === 431,
  http_timeout: (answer) => answer.status === 408,
};

/** True when the answer is the one of that name; undefined stands for a connection that was closed without one. */
export function isDocumented(name: string, answer: WireAnswer | undefined): boolean {
  if (name === 'closed') return answer === undefined;
  const check = DOCUMENTED[name];
  if (!check) throw new Error(`no answer is named ${name}`);
  return answer !== undefined && check(answer);
}

function isJson(headers: ReadonlyMap<string, string>): boolean {
  return headers.get('content-type') === 'application/json; charset=utf-8';
}

function sameNames(names: readonly string[], wanted: readonly string[]): boolean {
  return names.length === wanted.length && wanted.every((name) => names.includes(name));
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
