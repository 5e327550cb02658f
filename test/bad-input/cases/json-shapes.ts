import { type Case, named } from './case.ts';
import { CODES } from './world.ts';

const CODE = CODES.fresh;
const GOOD = `{"ticketCode":"${CODE}"}`;
const MISSING = 'missing_ticket_code';

/** No strings, or empty: none of them is a ticket code. */
const NO_STRINGS = [
  'null',
  'true',
  'false',
  '0',
  '1',
  '-1',
  '1.5',
  '1e3',
  '-0',
  '1e400',
  '12345678901234567890',
  '[]',
  '{}',
  '""',
  '[null]',
  '[""]',
  `["${CODE}"]`,
  `["${CODE}","${CODE}"]`,
  `{"ticketCode":"${CODE}"}`,
  `{"0":"${CODE}"}`,
  `{"value":"${CODE}"}`,
  `{"toString":"${CODE}"}`,
  `{"length":1}`,
  '[[[[]]]]',
  `[{"ticketCode":"${CODE}"}]`,
];

/** Bodies that are JSON and no object with a ticketCode. */
const NO_OBJECTS = [
  'null',
  'true',
  'false',
  '0',
  '42',
  '-1',
  '3.14',
  '1e9',
  '""',
  `"${CODE}"`,
  '[]',
  '[{}]',
  `["ticketCode","${CODE}"]`,
  `[${GOOD}]`,
  `[[${GOOD}]]`,
  '{}',
  '{"":""}',
  '{"ticketcode":"x"}',
  `{"ticketcode":"${CODE}"}`,
  `{"TicketCode":"${CODE}"}`,
  `{"TICKETCODE":"${CODE}"}`,
  `{"ticket_code":"${CODE}"}`,
  `{"ticketCode ":"${CODE}"}`,
  `{" ticketCode":"${CODE}"}`,
  `{"ticketCode\\u0000":"${CODE}"}`,
  `{"ticket":{"code":"${CODE}"}}`,
  `{"code":"${CODE}"}`,
  `{"ticket":"${CODE}"}`,
  `{"data":${GOOD}}`,
  `{"ticketCodes":["${CODE}"]}`,
  `{"Card":"${CODE}"}`,
  `{"ticketC\\u043ede":"${CODE}"}`,
  `{"__proto__":${GOOD}}`,
  `{"constructor":${GOOD}}`,
  `{"prototype":${GOOD}}`,
  `{"toString":"${CODE}"}`,
  `{"__proto__":{"__proto__":${GOOD}}}`,
  `{"ticketCode":{"__proto__":"${CODE}"}}`,
];

/** Texts that look like JSON to people or to other parsers, and are none. */
const NO_JSON = [
  '',
  ' ',
  '\n',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  ',',
  ':',
  'undefined',
  'NaN',
  'Infinity',
  '-Infinity',
  'None',
  'True',
  'nil',
  'nul',
  'tru',
  '{]',
  '[}',
  '{}}',
  '[]]',
  '{{}}',
  '{,}',
  '[,]',
  '{"a"}',
  '{"a":}',
  '{:1}',
  '{"a":1,}',
  '{"a" 1}',
  '{"a"::1}',
  '{"a":1 "b":2}',
  `{'ticketCode':'${CODE}'}`,
  `{ticketCode:"${CODE}"}`,
  `{"ticketCode":'${CODE}'}`,
  `{"ticketCode":${CODE}}`,
  `{"ticketCode":"${CODE}",}`,
  `{,"ticketCode":"${CODE}"}`,
  `{"ticketCode" "${CODE}"}`,
  `{"ticketCode"="${CODE}"}`,
  `{"ticketCode":"${CODE}";}`,
  `${GOOD},`,
  `${GOOD};`,
  `${GOOD}${GOOD}`,
  `${GOOD}\n${GOOD}`,
  `${GOOD} x`,
  `x ${GOOD}`,
  `(${GOOD})`,
  `callback(${GOOD})`,
  `)]}',\n${GOOD}`,
  `while(1);${GOOD}`,
  `${GOOD}//`,
  `//\n${GOOD}`,
  `/**/${GOOD}`,
  `{/*a*/"ticketCode":"${CODE}"}`,
  `#\n${GOOD}`,
  `{"ticketCode":"${CODE}"/**/}`,
  `{"ticketCode":"${CODE}","a":01}`,
  `{"ticketCode":"${CODE}","a":+1}`,
  `{"ticketCode":"${CODE}","a":.5}`,
  `{"ticketCode":"${CODE}","a":1.}`,
  `{"ticketCode":"${CODE}","a":0x10}`,
  `{"ticketCode":"${CODE}","a":1e}`,
  `{"ticketCode":"${CODE}","a":NaN}`,
  `{"ticketCode":"${CODE}","a":-}`,
  `{"ticketCode":"${CODE}","a":Infinity}`,
  `{"ticketCode":"${CODE}","a":undefined}`,
  `{"ticketCode":"${CODE}","a":1_000}`,
  `{"ticketCode":"${CODE}","a":--1}`,
  `{"ticketCode":"${CODE}","a":"\\x41"}`,
  `{"ticketCode":"${CODE}","a":"\\u12"}`,
  `{"ticketCode":"${CODE}","a":"\\u{41}"}`,
  `{"ticketCode":"${CODE}","a":"\\'"}`,
  `{"ticketCode":"${CODE}","a":"\\U0041"}`,
  `{"ticketCode":"${CODE}","a":"\\"}`,
  `{"ticketCode":"${CODE}","a":"\\0"}`,
  `{"ticketCode":"${CODE}","a":"\n"}`,
  '<ticketCode/>',
  `<ticketCode>${CODE}</ticketCode>`,
  `ticketCode=${CODE}`,
  `ticketCode: ${CODE}`,
  CODE,
  `--x\r\n\r\n${CODE}\r\n--x--`,
  '\\u007b\\u007d',
  '{"ticketCode":`x`}',
  `{"ticketCode":"${CODE}"`,
  `"ticketCode":"${CODE}"}`,
  'null,',
  '\u001e{}',
  '0{}',
  '{}0',
];

const isWhiteSpace = (byte: number) => [0x09, 0x0a, 0x0d, 0x20].includes(byte);

export function jsonShapes(): Case[] {
  const missing = (says: string, bytes: string): Case => ({
    says,
    to: 'consume',
    bytes,
    expect: MISSING,
  });
  return [
    ...NO_STRINGS.map((value) =>
      missing(`ticketCode is ${named(value)}`, `{"ticketCode":${value}}`),
    ),
    ...NO_STRINGS.filter((value) => value !== '{}').map((value) =>
      missing(`ticketCode is ${named(value)}, said last`, `{"a":1,"ticketCode":${value} }`),
    ),
    ...NO_OBJECTS.map((body) => missing(`the body is ${named(body)}`, body)),
    ...NO_JSON.map((body) => missing(`no JSON: ${named(body)}`, body)),
    ...Array.from(GOOD, (_, length) => missing(`cut after ${length} bytes`, GOOD.slice(0, length))),
    ...Array.from(GOOD, (_, at) =>
      missing(`byte ${at} is a quote`, `${GOOD.slice(0, at)}"${GOOD.slice(at + 1)}`),
    ).filter(({ bytes }) => bytes !== GOOD),
    ...controlCharacters(),
    ...duplicates(),
    ...nesting(),
    ...usable(),
  ];
}

/** Control characters within a text make it no JSON; between tokens only white space may stand. */
function controlCharacters(): Case[] {
  return Array.from({ length: 33 }, (_, byte) => {
    const character = String.fromCharCode(byte);
    const says = `byte ${byte} in `;
    const expect = isWhiteSpace(byte) ? 'validated' : MISSING;
    const inside: Case = {
      says: `${says}the code`,
      to: 'consume',
      bytes: `{"ticketCode":"${CODE}${character}"}`,
      expect: byte === 0x20 ? 'invalid_ticket' : MISSING,
    };
    const to = isWhiteSpace(byte) ? ('validate' as const) : ('consume' as const);
    return [
      inside,
      { says: `${says}front`, to, bytes: character + GOOD, expect },
      {
        says: `${says}the object`,
        to,
        bytes: `{${character}"ticketCode"${character}:"${CODE}"}`,
        expect,
      },
      { says: `${says}the end`, to, bytes: GOOD + character, expect },
    ];
  }).flat();
}

/** A reader on the way could take the first of two, another the last. */
function duplicates(): Case[] {
  const escapes = [...'ticketCode'].map((letter, at) => {
    const escaped = `\\u00${letter.charCodeAt(0).toString(16)}`;
    return `${'ticketCode'.slice(0, at)}${escaped}${'ticketCode'.slice(at + 1)}`;
  });
  const spellings = [
    'ticketCode',
    ...escapes,
    ...escapes.map((one) => one.replace(/(?<=u00)../, (hex) => hex.toUpperCase())),
    [...'ticketCode'].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join(''),
  ];
  const values = [`"${CODE}"`, '"x"', 'null', '""', '{}'];
  return [...new Set(spellings)].flatMap((spelling) =>
    values.flatMap((value): Case[] => [
      {
        says: `${spelling} once more, ${named(value)} first`,
        to: 'consume',
        bytes: `{"${spelling}":${value},"ticketCode":"${CODE}"}`,
        expect: MISSING,
      },
      {
        says: `${spelling} once more, ${named(value)} last`,
        to: 'consume',
        bytes: `{"ticketCode":"${CODE}", "b":[1,{"c":2}], "${spelling}" : ${value}}`,
        expect: MISSING,
      },
    ]),
  );
}

/** Eight levels are read, the object itself being the first. */
function nesting(): Case[] {
  const levels = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128, 512, 1000];
  return levels.flatMap((inner) => {
    const fits = inner < 8;
    const shapes = {
      arrays: '['.repeat(inner) + ']'.repeat(inner),
      objects: `${'{"a":'.repeat(inner - 1)}{}${'}'.repeat(inner - 1)}`,
      mixed:
        Array.from({ length: inner }, (_, at) => (at % 2 ? '[' : '{"a":')).join('') +
        'null' +
        Array.from({ length: inner }, (_, at) => ((inner - 1 - at) % 2 ? ']' : '}')).join(''),
    };
    return Object.entries(shapes).flatMap(([shape, value]): Case[] => {
      const at = (says: string, bytes: string): Case => ({
        says: `${inner} levels of ${shape} ${says}`,
        to: fits ? 'validate' : 'consume',
        bytes,
        expect: fits ? 'validated' : MISSING,
      });
      return [
        at('behind it', `{"ticketCode":"${CODE}","x":${value}}`),
        at('before it', `{"x":${value},"ticketCode":"${CODE}"}`),
      ];
    });
  });
}

/** Odd, but what the documentation calls usable: an object in UTF-8 with one ticketCode. */
function usable(): Case[] {
  const bodies = {
    'an escaped name': `{"\\u0074icketCode":"${CODE}"}`,
    'an escaped code': `{"ticketCode":"${[...CODE].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')}"}`,
    'another ticketCode further in': `{"ticketCode":"${CODE}","a":{"ticketCode":"x"}}`,
    'the name as a value': `{"ticketCode":"${CODE}","a":"ticketCode","b":["ticketCode"]}`,
    'a member with an empty name': `{"":"x","ticketCode":"${CODE}"}`,
    'another member twice': `{"a":1,"a":2,"ticketCode":"${CODE}"}`,
    __proto__: `{"__proto__":{"a":1},"ticketCode":"${CODE}"}`,
    'brackets in a text': `{"a":"[[[[[[[[[[{{{{","ticketCode":"${CODE}"}`,
    'quotes in a text': `{"a":"\\"ticketCode\\":\\"x\\"","ticketCode":"${CODE}"}`,
    'an escaped slash': `{"a":"\\/","ticketCode":"${CODE}"}`,
    'a lone surrogate elsewhere': `{"a":"\\ud800","ticketCode":"${CODE}"}`,
    'a big number elsewhere': `{"a":1e999,"ticketCode":"${CODE}"}`,
    'a DEL character elsewhere': `{"a":"\x7f","ticketCode":"${CODE}"}`,
    'a TS2 code': `{"ticketCode":"${CODES.freshTs2}"}`,
  };
  return Object.entries(bodies).map(([says, bytes]) => ({
    says: `usable: ${says}`,
    to: 'validate',
    bytes,
    expect: 'validated',
  }));
}
