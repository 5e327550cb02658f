import { CODES, codeOf, EVENTS, TICKET_IDS } from '../../support/fixed-world.ts';
import { CODE, type Endpoint, json, named, type Row, send, utf8 } from './row.ts';

const [PREFIX, ID = '', SIGNATURE = ''] = CODE.split('.');
const signatureOf = (code: string) => code.slice(code.lastIndexOf('.') + 1);

/** Genuine but for one thing. Nothing is trimmed, folded or normalised. */
function damaged(): string[] {
  const around = [
    ...[' ', '\t', '\0', '\u00a0', '\ufeff', '\u200b', '"', '<', '=', '==', '.', ',', '/', '%00'],
    ...['%0a', '\u0301', '\u202e', '\n\n', '\r\r', '\n\r', '\r\n\r\n', ' \n', '\n ', '\ufffd'],
  ];
  const aliases = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const within = [3, 4, 20, CODE.length - 20, CODE.length - 1].flatMap((at) => {
    const [before, letter = '', after] = [CODE.slice(0, at), CODE[at], CODE.slice(at + 1)];
    const other = letter === 'x' ? 'y' : 'x';
    return [
      before + after,
      before + letter + letter + after,
      before + other + after,
      before,
      after,
    ];
  });
  return [
    ...around.flatMap((one) => [one + CODE, CODE + one]),
    ...within,
    // Several spellings of Base64url decode to the same bytes.
    ...[...aliases].map((last) => CODE.slice(0, -1) + last),
    ...[CODE.toUpperCase(), CODE.toLowerCase(), [...CODE].reverse().join(''), CODE + CODE],
    `${PREFIX}.${ID}.${signatureOf(CODES.cancelled)}`,
    `${PREFIX}.${TICKET_IDS.exhausted}.${SIGNATURE}`,
    ...[`${PREFIX}.${ID}`, `${PREFIX}.${ID}.`, `${PREFIX}..${SIGNATURE}`, `${ID}.${SIGNATURE}`],
    ...[`.${ID}.${SIGNATURE}`, `${CODE}.x`, `${CODE}.`, `${CODE} ${CODES.freshTs2}`],
    ...[btoa(CODE), JSON.stringify({ ticketCode: CODE }), CODE.replaceAll('.', '%2E')],
    ...[CODE.replace('T', '\uff34'), CODE.replaceAll('.', '\uff0e'), CODE.replace('t', '\u0442')],
    `${PREFIX}.${ID}.${SIGNATURE.replaceAll('-', '+').replaceAll('_', '/')}==`,
    `${PREFIX}.${ID}.${SIGNATURE}${'A'.repeat(21)}`,
    `${PREFIX}.${ID}.${'A'.repeat(22)}`,
    ...[CODE.replace('TS1', 'TS2'), CODES.freshTs2.replace('TS2', 'TS1'), `${CODES.freshTs2}==`],
    `TS2.${TICKET_IDS.freshTs2}.${'A'.repeat(86)}`,
    `TS2.${TICKET_IDS.fresh}.${signatureOf(CODES.freshTs2)}`,
    ...['TS0', 'TS3', 'TS', 'TS10', 'ts1', 'none', ''].map((format) => CODE.replace('TS1', format)),
  ].filter((code) => code !== '' && code !== CODE);
}

/** Identifiers that no ticket can have: a signature makes nothing of them. */
function signedNonsense(): string[] {
  const random = '0'.repeat(20);
  return [
    ...[`tkt_${EVENTS.main}`, `tkt_${EVENTS.main}_`, `tkt_${EVENTS.main}_${'0'.repeat(19)}`],
    ...[`tkt_${EVENTS.main}_${'0'.repeat(41)}`, `TKT_${EVENTS.main}_${random}`],
    ...[`tkt_${EVENTS.main.toUpperCase()}_${random}`, `tkt_short_${random}`, `tkt__${random}`],
    ...[
      `tkt_elevenchars1_${random}`,
      `tkt_${EVENTS.main}_${random}_x`,
      `tkt_${EVENTS.main}_${random} `,
    ],
    ...[`tkt_${EVENTS.main}_${'A'.repeat(20)}`, `tkt_${EVENTS.main}_../../../../../etc/x`],
    ...[
      `tkt_${EVENTS.main}_' OR 1=1 --`,
      `tkt_${EVENTS.main}_\0${'0'.repeat(19)}`,
      'x',
      '__proto__',
    ],
  ].map((id) => codeOf(id));
}

/** What people hold before a reader, and what attackers print. */
const NO_CODES = [
  ...[' ', '.', '..', '....', 'a', '0', 'null', '[object Object]', '{}', '__proto__', 'toString'],
  ...['4006381333931', 'https://example.org', 'WIFI:S:net;T:WPA;P:pass;;', 'BEGIN:VCARD', 'TS1'],
  ...['TS1.', 'TS1..', 'a.b.c', 'TS1.tkt_.x', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'],
  ...["' OR '1'='1", "'; DROP TABLE ticket; --", `$\{7*7}`, '{{7*7}}', '$(id)', '; id', '%s%n'],
  ...['../../etc/passwd', '<script>alert(1)</script>', '<!DOCTYPE x [<!ENTITY a "b">]>', '\\0'],
  ...['\r\nSet-Cookie: a=b', '\u001b[31mred', 'äöüß', '日本語', 'العربية', '😀', '\u202etxet'],
  ...['\uffff', '\u{10ffff}', 'ﬀ', 'İ', 'x'.repeat(256), 'x'.repeat(257), 'x'.repeat(4000)],
  ...[
    '.'.repeat(4000),
    `TS1.tkt_${'a'.repeat(300)}.x`,
    `TS1.${TICKET_IDS.fresh}.${'A'.repeat(500)}`,
  ],
];

/** How each model says a code. */
const card = (code: string) => `{"Card":"${Buffer.from(code).toString('base64')}"}`;
const panel = (code: string) => json({ identifier_number: code, identifier_type: 'qr' });
const reader = (code: string) => utf8(`vgdecoderesult=${code}&&devicenumber=001`);
const software = (code: string) => json({ ticketCode: code });

/** Genuine codes, and what becomes of them. */
const STATES = {
  exhausted: ['exhausted', 'hw_exhausted'],
  cancelled: ['ticket_cancelled', 'hw_cancelled'],
  notYetValid: ['not_yet_valid', 'hw_not_yet_valid'],
  expired: ['expired', 'hw_expired'],
  unknown: ['not_found', 'hw_not_found'],
  unknownEvent: ['not_found', 'hw_not_found'],
} as const;

export function codes(): Row[] {
  const row = (to: Endpoint, body: string, expect: string, code: string): Row => ({
    says: `${to}: ${named(code)} as ${named(body).slice(0, 12)}`,
    bytes: send(to, body),
    expect,
  });
  const refused = [...new Set([...damaged(), ...signedNonsense(), ...NO_CODES])];
  return [
    ...refused.flatMap((code) => [
      row('consume', software(code), 'invalid_ticket', code),
      row('hw-consume', card(code), 'hw_invalid_ticket', code),
      row('hw-consume', panel(code), 'bas_ip_denied', code),
      row('hw-consume', reader(code), 'vguang_denied', code),
    ]),
    ...refused.slice(0, 20).map((code) => row('validate', software(code), 'invalid_ticket', code)),
    // Software sends what was read; only devices add a line end of their own.
    ...['\r', '\n', '\r\n'].flatMap((end) => [
      row('consume', software(CODE + end), 'invalid_ticket', end),
      row('hw-validate', card(CODE + end), 'hw_granted', end),
      row('hw-validate', panel(CODE + end), 'bas_ip_granted', end),
      row('hw-validate', reader(CODE + end), 'vguang_granted', end),
    ]),
    // A text without a form in UTF-8 can still be written in JSON.
    ...['\\ud800', '\\udfff', `${CODE}\\ud800`, `\\udc00${CODE}`, '\\ude00\\ud83d'].map((text) =>
      row('consume', `{"ticketCode":"${text}"}`, 'invalid_ticket', text),
    ),
    ...Object.entries(STATES).flatMap(([state, [rest, device]]) => {
      const code = CODES[state as keyof typeof STATES];
      return (['consume', 'validate'] as const).flatMap((action) => [
        row(action, software(code), rest, state),
        row(`hw-${action}`, card(code), device, state),
        row(`hw-${action}`, panel(code), 'bas_ip_denied', state),
        row(`hw-${action}`, reader(code), 'vguang_denied', state),
      ]);
    }),
  ];
}
