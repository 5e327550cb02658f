import { type Case, type HeadName, named, utf8 } from './case.ts';
import { CODES, codeOf, EVENTS, TICKET_IDS } from './world.ts';

const CODE = CODES.fresh;
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const signature = (code: string) => code.slice(code.lastIndexOf('.') + 1);

/** Codes that are genuine but for one thing, each with what that is. */
function damagedCodes(): Map<string, string> {
  const codes = new Map<string, string>();
  const add = (says: string, code: string) => {
    if (code !== CODE && !codes.has(code)) codes.set(code, says);
  };
  [...CODE].forEach((letter, at) => {
    const [before, after] = [CODE.slice(0, at), CODE.slice(at + 1)];
    add(`character ${at} left out`, before + after);
    add(`character ${at} twice`, before + letter + letter + after);
    for (const other of [letter === 'x' ? 'y' : 'x', letter === '7' ? '8' : '7', '%', '-'])
      add(`character ${at} is ${other}`, before + other + after);
    const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
    add(`character ${at} in the other case`, before + flipped + after);
    add(
      `character ${at} and the next swapped`,
      before + after.slice(0, 1) + letter + after.slice(1),
    );
    for (const [name, text] of Object.entries({
      'a space': ' ',
      'a zero-width space': '\u200b',
      'a NUL': '\0',
      'a soft hyphen': '\u00ad',
    }))
      add(`${name} before character ${at}`, before + text + letter + after);
    add(`cut before character ${at}`, before);
    add(`cut up to character ${at}`, after);
  });
  for (const last of BASE64URL) add(`last character is ${last}`, CODE.slice(0, -1) + last);
  for (const [says, code] of Object.entries(dressedCodes())) add(says, code);
  for (const code of nonsense()) add(named(code), code);
  codes.delete('');
  return codes;
}

function dressedCodes(): Record<string, string> {
  const around = [
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\0',
    '\u00a0',
    '\u2003',
    '\ufeff',
    '\u200b',
    '\u2060',
    '"',
    "'",
    '<',
    '=',
    '==',
    '.',
    '..',
    ',',
    ';',
    '/',
    '?',
    '#',
    '&',
    '+',
    '*',
    '%20',
    '%00',
    '%0a',
    '\u0301',
    '\u202e',
  ];
  const dressed: Record<string, string> = {};
  for (const one of around) {
    dressed[`${named(one)} in front`] = one + CODE;
    dressed[`${named(one)} behind`] = CODE + one;
  }
  const [prefix, id = ''] = CODE.split('.');
  const other = signature(CODES.cancelled);
  return {
    ...dressed,
    'all in capitals': CODE.toUpperCase(),
    'all in small letters': CODE.toLowerCase(),
    'the signature of another ticket': `${prefix}.${id}.${other}`,
    'the identifier of another ticket': `${prefix}.${TICKET_IDS.exhausted}.${signature(CODE)}`,
    'no signature': `${prefix}.${id}`,
    'an empty signature': `${prefix}.${id}.`,
    'an empty identifier': `${prefix}..${signature(CODE)}`,
    'no prefix': `${id}.${signature(CODE)}`,
    'an empty prefix': `.${id}.${signature(CODE)}`,
    'a fourth part': `${CODE}.x`,
    'an empty fourth part': `${CODE}.`,
    'the code twice': CODE + CODE,
    'two codes': `${CODE} ${CODES.freshTs2}`,
    'in Base64': btoa(CODE),
    'in hex': Buffer.from(CODE).toString('hex'),
    'percent-encoded': CODE.replaceAll('.', '%2E'),
    'as an address': `https://example.org/t/${CODE}`,
    'as a data URL': `data:text/plain,${CODE}`,
    'as JSON': JSON.stringify({ ticketCode: CODE }),
    'in quotes': `"${CODE}"`,
    reversed: [...CODE].reverse().join(''),
    'fullwidth letters': CODE.replace('T', '\uff34').replace('S', '\uff33'),
    'a Cyrillic letter': CODE.replace('t', '\u0442'),
    'a fullwidth dot': CODE.replaceAll('.', '\uff0e'),
    'one dot leader': CODE.replaceAll('.', '\u2024'),
    'the signature in standard Base64': `${prefix}.${id}.${signature(CODE).replaceAll('-', '+').replaceAll('_', '/')}==`,
    'the signature in hex': `${prefix}.${id}.${Buffer.from(signature(CODE), 'base64url').toString('hex')}`,
    'the HMAC uncut': `${prefix}.${id}.${signature(CODE)}AAAAAAAAAAAAAAAAAAAAA`,
    'a signature of zeros': `${prefix}.${id}.${'A'.repeat(22)}`,
    'TS2 with the HMAC of TS1': CODE.replace('TS1', 'TS2'),
    'TS1 with the signature of TS2': CODES.freshTs2.replace('TS2', 'TS1'),
    'TS2 with an empty signature': `TS2.${TICKET_IDS.freshTs2}.`,
    'TS2 with zeros': `TS2.${TICKET_IDS.freshTs2}.${'A'.repeat(86)}`,
    'TS2 of another ticket': `TS2.${TICKET_IDS.fresh}.${signature(CODES.freshTs2)}`,
    'TS2 padded': `${CODES.freshTs2}==`,
    ...Object.fromEntries(
      ['TS0', 'TS3', 'TS', 'T1', 'TS10', 'TS01', 'ts1', 'Ts1', 'none', 'HS256', '', ' TS1'].map(
        (format) => [`format ${named(format)}`, CODE.replace('TS1', format)],
      ),
    ),
    ...Object.fromEntries(
      wrongIds().map((wrong) => [`signed, with the identifier ${named(wrong)}`, codeOf(wrong)]),
    ),
  };
}

/** Identifiers that no ticket can have, correctly signed: a signature makes nothing of them. */
function wrongIds(): string[] {
  const random = '0'.repeat(20);
  return [
    `tkt_${EVENTS.main}`,
    `tkt_${EVENTS.main}_`,
    `tkt_${EVENTS.main}_short`,
    `tkt_${EVENTS.main}_${'0'.repeat(19)}`,
    `tkt_${EVENTS.main}_${'0'.repeat(41)}`,
    `TKT_${EVENTS.main}_${random}`,
    `tkt_${EVENTS.main.toUpperCase()}_${random}`,
    `tkt_short_${random}`,
    `tkt_elevenchars1_${random}`,
    `tkt__${random}`,
    `tkt_${random}`,
    `ticket_${EVENTS.main}_${random}`,
    `${EVENTS.main}_${random}`,
    `tkt-${EVENTS.main}-${random}`,
    `tkt_${EVENTS.main}_${random}_x`,
    `tkt_${EVENTS.main}_${random} `,
    ` tkt_${EVENTS.main}_${random}`,
    `tkt_${EVENTS.main}_${'A'.repeat(20)}`,
    `tkt_${EVENTS.main}_${'\u00e9'.repeat(20)}`,
    `tkt_${EVENTS.main}_../../../../../etc/x`,
    `tkt_${EVENTS.main}_' OR 1=1 --`,
    `tkt_${EVENTS.main}_%00%00%00%00%00%00%00`,
    `tkt_${EVENTS.main}_\0${'0'.repeat(19)}`,
    'x',
    'tkt_',
    'tkt',
    '__proto__',
    'constructor',
  ];
}

function nonsense(): string[] {
  return [
    ' ',
    '.',
    '..',
    '...',
    '....',
    'a',
    'ab',
    '0',
    '-',
    '_',
    'null',
    'undefined',
    'true',
    'NaN',
    '[object Object]',
    '{}',
    '[]',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '4006381333931',
    '0123456789012',
    '12345678',
    '00000000',
    'ABC-123',
    'https://example.org',
    'http://example.org/?q=TS1',
    'mailto:x@example.org',
    'WIFI:S:net;T:WPA;P:pass;;',
    'BEGIN:VCARD',
    'tel:+4930123456',
    'geo:52.5,13.4',
    'TS1',
    'TS1.',
    'TS1..',
    '.tkt_',
    'TS1.tkt_.x',
    'TS1.x.y',
    'a.b.c',
    'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
    "' OR '1'='1",
    "'; DROP TABLE ticket; --",
    '" OR ""="',
    '1; SELECT pg_sleep(10)',
    `$\{7*7}`,
    '{{7*7}}',
    '<%= 7*7 %>',
    '#{7*7}',
    '$(id)',
    '`id`',
    '; id',
    '| id',
    '../../etc/passwd',
    '..\\..\\windows',
    '/dev/null',
    'C:\\x',
    'file:///etc/passwd',
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<!--',
    '<![CDATA[',
    '<!DOCTYPE x [<!ENTITY a "b">]>',
    '%s%s%s%n',
    '%x',
    '%00',
    '\\0',
    '\\u0000',
    '\r\nSet-Cookie: a=b',
    'x\nInjected: 1',
    '\u001b[31mred',
    '\u0007',
    'äöüß',
    'éàç',
    'Ω≈ç√',
    '日本語',
    '한국어',
    'العربية',
    'עברית',
    'ไทย',
    'हिन्दी',
    '😀',
    '👩\u200d👩\u200d👧',
    '🇩🇪',
    '\ud83d\ude00'.repeat(50),
    'Z̸a̸l̸g̸o̸',
    '\u202etxet',
    '\u2066x\u2069',
    '\ufffd',
    '\uffff',
    '\u{10ffff}',
    'ﬀ',
    'İ',
    'ı',
    'ſ',
    'x'.repeat(255),
    'x'.repeat(256),
    'x'.repeat(257),
    'x'.repeat(1000),
    'x'.repeat(4000),
    '.'.repeat(256),
    '.'.repeat(4000),
    `TS1.${'.'.repeat(250)}`,
    `TS1.tkt_${'a'.repeat(300)}.x`,
    `${CODE}${' '.repeat(300)}`,
    `TS1.${TICKET_IDS.fresh}.${'A'.repeat(500)}`,
    '0'.repeat(7000),
  ];
}

/** Nothing is trimmed, folded or normalised: what is not the genuine text, letter for letter, is no ticket. */
export function codes(): Case[] {
  const damaged = [...damagedCodes()];
  const over = (to: HeadName, expect: string, body: (code: string) => string, which = damaged) =>
    which.map(([code, says]): Case => ({ says, to, bytes: body(code), expect }));
  const every = (step: number) => damaged.filter((_, index) => index % step === 0);
  const latin = (code: string) => Buffer.from(code).toString('base64');
  return [
    ...over('consume', 'invalid_ticket', (code) => utf8(JSON.stringify({ ticketCode: code }))),
    ...over(
      'validate',
      'invalid_ticket',
      (code) => utf8(JSON.stringify({ ticketCode: code })),
      every(5),
    ),
    ...over(
      'hw-consume',
      'hw_invalid_ticket',
      (code) => JSON.stringify({ Card: latin(code), Serial: 'S-1', Reader: 0 }),
      every(4),
    ),
    ...over(
      'hw-consume',
      'bas_ip_denied',
      (code) => utf8(JSON.stringify({ identifier_number: code, identifier_type: 'qr' })),
      every(7),
    ),
    ...loneSurrogates(),
    ...states(),
  ];
}

/** A text that has no UTF-8 form can still be written in JSON. */
function loneSurrogates(): Case[] {
  return [
    '\\ud800',
    '\\udfff',
    '\\udbff',
    '\\udc00',
    `${CODE}\\ud800`,
    `\\udc00${CODE}`,
    '\\ude00\\ud83d',
  ].map(
    (text): Case => ({
      says: `a lone surrogate: ${text.slice(-6)}`,
      to: 'consume',
      bytes: `{"ticketCode":"${text}"}`,
      expect: 'invalid_ticket',
    }),
  );
}

/** Genuine codes of tickets that cannot enter: one answer each, on both kinds of endpoint. */
function states(): Case[] {
  const reasons = {
    exhausted: ['exhausted', 'hw_exhausted'],
    cancelled: ['ticket_cancelled', 'hw_cancelled'],
    notYetValid: ['not_yet_valid', 'hw_not_yet_valid'],
    expired: ['expired', 'hw_expired'],
    unknown: ['not_found', 'hw_not_found'],
    unknownEvent: ['not_found', 'hw_not_found'],
  } as const;
  return Object.entries(reasons).flatMap(([state, [rest, device]]) => {
    const code = CODES[state as keyof typeof reasons];
    return (['consume', 'validate'] as const).flatMap((action): Case[] => [
      {
        says: `a ticket that is ${state}`,
        to: action,
        bytes: `{"ticketCode":"${code}"}`,
        expect: rest,
      },
      {
        says: `a card that is ${state}`,
        to: `hw-${action}`,
        bytes: `{"Card":"${btoa(code)}"}`,
        expect: device,
      },
      {
        says: `at a panel, ${state}`,
        to: `hw-${action}`,
        bytes: `{"identifier_number":"${code}"}`,
        expect: 'bas_ip_denied',
      },
      {
        says: `at a reader, ${state}`,
        to: `hw-${action}`,
        bytes: `vgdecoderesult=${code}&&devicenumber=001`,
        expect: 'vguang_denied',
      },
    ]);
  });
}
