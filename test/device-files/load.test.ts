import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FileModel } from '../../src/device-files/file-model.ts';
import { loadDeviceFiles, parseDeviceFile } from '../../src/device-files/load.ts';
import { deviceFileJsonSchema } from '../../src/device-files/schema.ts';
import { BUILT_IN_NAMES, builtInPath } from '../support/device-files.ts';
import { changed, SMALL } from './support/small-file.ts';

const shipped = new URL('../../fixtures/device-files/', import.meta.url);

const problemsOf = (text: string): string => {
  try {
    parseDeviceFile(text, 'x.yaml');
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};
test('a small file is loaded', () => {
  expect(parseDeviceFile(SMALL, 'x.yaml').name).toBe('small');
});

test.each(BUILT_IN_NAMES)(
  '%s, which comes with the program, is named after its file and told of on the page of the format',
  (name) => {
    expect(loadDeviceFiles(builtInPath(name)).map((file) => file.name)).toEqual([name]);
    expect(readFileSync('docs/devices/device-files.md', 'utf8')).toContain(`| \`${name}.yaml\` |`);
  },
);

test('the published schema is the one that files are checked with', () => {
  const published = readFileSync(new URL('device-file.schema.json', shipped), 'utf8');
  expect(JSON.parse(published)).toEqual(deviceFileJsonSchema());
});

describe('a problem is told with file, line and column', () => {
  test.each([
    ['no YAML', changed('name: small', 'name: [small'), /^x\.yaml:3:1: not valid YAML: /],
    ['lists in lists without end', '['.repeat(20_000), /^x\.yaml:1:\d+: it is nested too deeply$/],
    [
      'two documents',
      'deviceFile: 1\n---\nb: 2\n',
      /^x\.yaml:2:1: a second document .*of its own$/,
    ],
    ['not a device file', '', /^x\.yaml:1:1: this is not a device file/],
    [
      'a member in the wrong place',
      SMALL.replace('answers:\n', 'answers:\n  relay: { in: a, out: b }\n'),
      /"relay" is unknown here: it belongs at the top level/,
    ],
    ['an unknown member', `${SMALL}colour: red\n`, /^x\.yaml:11:1: "colour" is unknown here\.$/],
    [
      'an unknown member of several lines',
      `${SMALL}simulates:\n  card:\n    body: x\n`,
      /^x\.yaml:11:1: "simulates" is unknown here\. Did you mean "simulate"\?$/,
    ],
    [
      'an unknown member in a list',
      changed('code: { form: data }', 'code: { form: data, decoded: [trim] }'),
      /^x\.yaml:7:25: "decoded" is unknown here\. Did you mean "decode"\?$/,
    ],
    [
      'a missing choice',
      changed('proven: nothing\n', ''),
      /^x\.yaml:1:1: proven: is missing: write device or recording or /,
    ],
    ['a missing member', changed('title: A small reader\n', ''), /^x\.yaml:1:1: title: is missing/],
    ['a name with blanks', changed('name: small', 'name: my reader'), /^x\.yaml:2:7: name: a name/],
    ['two places', changed('form: data', 'form: data, json: a'), /^x\.yaml:7:11: .*exactly one/],
    ['an unknown step', changed('form: data', 'form: data, decode: [rot13]'), /^x\.yaml:7:34: /],
    [
      'a part of a path that is left out on the way',
      changed('    code:', '    path: /a/../b\n    code:'),
      /^x\.yaml:\d+:\d+: requests\.0\.path: a path has no part \. or \.\./,
    ],
    ['a bad path', changed('form: data', "json: 'a..b'"), /^x\.yaml:7:19: "a\.\.b" is not a path/],
    [
      'no scan',
      changed('kind: scan', 'kind: heartbeat').replace('    code: { form: data }\n', ''),
      /one request must be a scan/,
    ],
    ['an alias', changed('title: A small reader', 'title: *name'), /^x\.yaml:3:8|aliases/],
    [
      'an unknown value',
      changed('{{note}}', '{{notes}}'),
      /^x\.yaml:10:37: \{\{notes\}\} is unknown/,
    ],
    ['a place left open', changed('{{note}}', '{{note'), /^x\.yaml:10:37: a \{\{ is not closed/],
    [
      'a type without escapes',
      changed('denied: { type: text/plain', 'denied: { type: image/png'),
      /^x\.yaml:10:19: values cannot be escaped/,
    ],
    [
      'a body without a type',
      changed('{ type: text/plain, body: open }', '{ body: open }'),
      /^x\.yaml:9:12: .*needs a type/,
    ],
    [
      'JSON that is none',
      changed(
        "denied: { type: text/plain, body: 'shut {{note}}' }",
        `denied: { type: application/json, body: '{"n":{{note}}}' }`,
      ),
      /^x\.yaml:10:43: not valid JSON/,
    ],
    [
      'a value of JSON in a text, without quotes',
      changed("'shut {{note}}'", `'{"n":{{note}}}'`),
      /^x\.yaml:10:37: not valid JSON/,
    ],
    [
      'a value as the name of a member',
      changed('text/plain, body: open', `application/json, body: '{"open":true,"{{note}}":1}'`),
      /^x\.yaml:9:44: a value cannot be the name/,
    ],
    [
      'a member that occurs twice, deep inside and with an escape',
      changed(
        'text/plain, body: open',
        `application/json, body: '{"a":[{"open":true,"b":{}},{"open":true,"\\u006fpen":false}]}'`,
      ),
      /^x\.yaml:9:44: a member occurs twice/,
    ],
    [
      'a document type',
      changed('text/plain, body: open', "text/xml, body: '<!doctype a><a/>'"),
      /^x\.yaml:9:36: a document type/,
    ],
    [
      'a value of the service',
      `${SMALL}values: { note: { form: a } }\n`,
      /^x\.yaml:11:17: "note" is already/,
    ],
    [
      'a body over its limit',
      `${SMALL}limits: { body: 20 }\n`,
      /^x\.yaml:10:37: denied: can have 37 bytes/,
    ],
  ])('%s', (_what, text, told) => {
    expect(problemsOf(text)).toMatch(told);
  });
});

test.each([
  ['text/plain', '{"open":1,"t":"{{name}}"}', '{"open":1,"t":"A\\"<b>"}'],
  ['text/plain', '<a>{{name}}</a>', '<a>A&quot;&lt;b&gt;</a>'],
  ['text/plain', 'open {{name}}', 'open A"<b>'],
])('a value in %s %s is written as its form asks', (type, body, told) => {
  const text = changed('text/plain, body: open', `${type}, status: 201, body: '${body}'`);
  const file = parseDeviceFile(text.replace("'shut {{note}}'", 'shut'), 'x.yaml');
  const message = { text: undefined, isJson: false };
  expect(new FileModel(file).answer('granted', { name: 'A"<b>' }, message).text).toBe(told);
});

describe('every outcome has an answer', () => {
  test('denials without one are named', () => {
    const text = changed('  denied:', '  expired:');
    expect(problemsOf(text)).toMatch(/^x\.yaml:9:3: no answer for exhausted, not_yet_valid, /);
    expect(problemsOf(text)).not.toContain('expired');
  });

  test('a heartbeat needs one', () => {
    const text = changed('requests:', 'requests:\n  - { kind: heartbeat }');
    expect(problemsOf(text)).toContain('heartbeat: is missing');
  });
});

describe('a denial must open no door, and a grant must', () => {
  const with_ = (granted: string, denied: string, opensWhen = '') =>
    changed('{ type: text/plain, body: open }', granted).replace(
      "{ type: text/plain, body: 'shut {{note}}' }",
      denied,
    ) + (opensWhen === '' ? '' : `opensWhen: [${opensWhen}]\n`);
  const text = (body: string) => `{ type: text/plain, status: 200, body: '${body}' }`;
  const xml = (body: string) => `{ type: text/xml, status: 200, body: '${body}' }`;
  const json = (body: string) => `{ type: application/json, status: 200, body: '${body}' }`;
  const form = (body: string) =>
    `{ type: application/x-www-form-urlencoded, status: 200, body: '${body}' }`;
  const word = (equals: string) => `{ text: true, decode: [{ before: ' ' }], equals: ${equals} }`;
  const O1 = '{ json: o, equals: 1 }';

  test.each([
    ['the same text', text('ok'), text('ok'), ''],
    ['only spaces around a text differ', text('open'), text(' open '), ''],
    ['JSON in a text', text('{"o":1,"n":"{{name}}"}'), text('{ "n": "{{note}}", "o": 1.0 }'), O1],
    ['JSON and a text', json('{"o":1}'), text('{ "o": 1 }'), O1],
    ['a field without a value', form('open'), form('open='), '{ form: open }'],
    ['the order of fields', form('a=1&open=%31'), form('&open=1&&a=1&'), '{ form: a, equals: 1 }'],
    ['a space in a field', form('a=b+c'), form('a=b%20c'), '{ form: a, equals: b c }'],
    ['a note that can be the word of a grant', text('open'), text('{{note}}'), ''],
    [
      'a name that can be the word of a denial',
      text('code {{name}}'),
      text('code x'),
      word('code'),
    ],
    ['only spaces differ', json('{"o":1}'), json('{ "o": 1 }'), O1],
    ['one number is written in two ways', json('{"o":1}'), json('{"o":1.0}'), O1],
    ['a number that can be the one of a grant', json('{"o":1}'), json('{"o":{{used}}}'), O1],
    ['the order of members differs', json('{"a":"{{note}}","o":1}'), json('{"o":1,"a":""}'), O1],
    [
      'two spellings of a letter',
      json('{"o":"k"}'),
      json('{"o":"\\u006b"}'),
      '{ json: o, equals: k }',
    ],
    [
      'spaces between tags',
      xml('<a><b>1</b></a>'),
      xml('<a>  <b> 1 </b> </a >'),
      '{ xml: a.b, equals: 1 }',
    ],
    [
      'the order of attributes',
      xml('<a b="1" c="2"/>'),
      xml('<a  c="2" b="1" />'),
      '{ xml: a@b, equals: 1 }',
    ],
    ['only quotes differ', xml('<a b="1"/>'), xml("<a b = ''1''/>"), '{ xml: a@b, equals: 1 }'],
    [
      'only a comment differs',
      xml('<a>ok</a>'),
      xml('<a>o<!-- not -->k</a>'),
      '{ xml: a, equals: ok }',
    ],
    ['only the head differs', xml('<a/>'), xml('<?xml version="1.0"?><a/>'), '{ xml: a }'],
    ['two ways to write an empty element', xml('<a b="1"/>'), xml('<a b="1"></a>'), '{ xml: a }'],
    [
      'two ways to write a character',
      xml('<a>&amp;A</a>'),
      xml('<a>&#38;&#x41;</a>'),
      "{ xml: a, equals: '&A' }",
    ],
    ['CDATA', xml('<a>no</a>'), xml('<a><![CDATA[no]]></a>'), "{ xml: a, equals: 'no' }"],
    [
      'values in XML',
      xml('<a n="{{name}}" o="1"/>'),
      xml('<a o="1" n="{{note}}"></a>'),
      '{ xml: a@o, equals: 1 }',
    ],
    [
      'a note that is read like the word of a grant',
      text('cmd="OPEN" {{note}}'),
      text('{{note}} cmd="LOCK"'),
      `{ text: true, decode: [{ after: 'cmd="' }, { before: '"' }], equals: OPEN }`,
    ],
    [
      'a note that decodes to the word of a grant',
      text('b3Blbg=='),
      text('{{note}}'),
      '{ text: true, decode: [base64], equals: open }',
    ],
  ])('%s: refused', (_what, granted, denied, opensWhen) => {
    expect(problemsOf(with_(granted, denied, opensWhen))).toMatch(
      /^x\.yaml:10:11: denied: opensWhen holds for the answer to exhausted: the door would open$/,
    );
  });

  test.each([
    ['only values differ', json('{"t":"{{name}}"}'), json('{"u":"{{note}}"}'), '{ json: t }'],
    [
      'a word behind the values',
      text('{{name}};open'),
      text('shut'),
      '{ text: true, decode: [{ after: ; }], equals: open }',
    ],
    ['an attribute', xml('<a b="{{relay}}"/>'), xml('<b/>'), '{ xml: a@b, equals: [in, out] }'],
  ])('%s: a value decides', (_what, granted, denied, opensWhen) => {
    expect(problemsOf(with_(granted, denied, opensWhen))).toMatch(
      /^x\.yaml:11:13: what opens must be the same in every grant/,
    );
  });

  test.each([
    ['another word', text('open'), text('shut'), word('OPEN')],
    ['another status', '{ status: 200 }', '{ status: 403 }', '{ status: true, equals: 201 }'],
  ])('%s: a grant opens nothing', (_what, granted, denied, opensWhen) => {
    expect(problemsOf(with_(granted, denied, opensWhen))).toMatch(
      /^x\.yaml:9:12: granted: opensWhen does not hold for it: the door would stay shut$/,
    );
  });

  test('a value that is a name in XML opens nothing', () => {
    const named = with_(xml('<a {{name}}="1" b="2"/>'), xml('<c/>'), '{ xml: a@b, equals: 2 }');
    expect(problemsOf(named)).toMatch(/^x\.yaml:11:13: what opens must be the same/);
  });

  test.each([
    ['values', text('open {{name}}'), text('shut')],
    ['JSON', json('{"o":1}'), json('{"o":0}')],
    ['no body', '{ status: 200 }', text('shut')],
  ])('what opens must be said of an answer with %s', (_what, granted, denied) => {
    expect(problemsOf(with_(granted, denied))).toMatch(
      /^x\.yaml:9:12: opensWhen is missing at the top/,
    );
  });

  test.each([
    ['another word', text('open {{name}}'), text('shut {{note}}'), word('open')],
    ['another text', text('open'), text('shut {{note}}'), ''],
    [
      'another member between values',
      json('{"a":"{{name}}","open":1,"b":"{{note}}"}'),
      json('{"a":"{{name}}","open":0,"b":"{{note}}"}'),
      '{ json: open, equals: 1 }',
    ],
    ['another element', xml('<open/>'), xml('<shut/>'), '{ xml: open }'],
    [
      'another attribute',
      xml('<a open="1" n="{{name}}"/>'),
      xml('<a open="0" n="{{note}}"/>'),
      '{ xml: a@open, equals: 1 }',
    ],
    ['another field', form('o=1&a={{name}}'), form('o=0&a={{note}}'), '{ form: o, equals: 1 }'],
    ['another member of JSON in a text', text('{"o":1}'), text('{"o":0}'), O1],
    ['another status', '{ status: 200 }', '{ status: 403 }', ''],
  ])('%s: loaded', (_what, granted, denied, opensWhen) => {
    expect(problemsOf(with_(granted, denied, opensWhen))).toBe('');
  });

  test('one outcome among those that are answered alone', () => {
    const own = `${SMALL.trimEnd()}\n  expired: { type: text/plain, body: open }\n`;
    expect(problemsOf(own)).toMatch(/^x\.yaml:11:12: expired: /);
  });

  test('the usual status of an outcome counts: an unknown outcome opens nothing', () => {
    const byStatus = with_('{ type: text/plain, body: ok }', '{ status: 403 }');
    const own = `${byStatus.trimEnd()}\n  server_error: { type: text/plain, body: ok }\n`;
    expect(problemsOf(own)).toBe('');
    const same = own.replace('server_error: { type', 'server_error: { status: 200, type');
    expect(problemsOf(same)).toContain('server_error');
  });
});
