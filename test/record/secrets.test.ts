import { describe, expect, test } from 'vitest';
import { encodeChunk } from '../../src/kit/http1.ts';
import { Restorer } from '../../src/record/secrets/placeholders.ts';
import { Redactor } from '../../src/record/secrets/redactor.ts';
import { fc } from '../support/fast-check.ts';
import { rawExchange } from './support/recorder.ts';

const KEY = 'tscn_hw_0123456789abcdefghijABCDEFGHIJ00zyXW1a';
const CODE = 'TS1.tkt_abc123_0123456789abcdefghij.AAECAwQFBgcICQoLDA0ODw';
const base64 = (text: string) => Buffer.from(text).toString('base64');

function headFor(query: string, body: Buffer, more = ''): string {
  return `POST /scan/hw/consume?${query} HTTP/1.1\r\nHost: a:80\r\n${more}Content-Length: ${body.length}\r\n\r\n`;
}

function request(query: string, body: string | Buffer, more = '') {
  const bytes = Buffer.from(body);
  return rawExchange({ head: headFor(query, bytes, more), body: bytes });
}

/** Every spelling in which a text could still be found in a recording. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const aligned = [0, 1, 2].map((offset) =>
    // The part of the Base64 that does not depend on what stands before and after.
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, encodeURIComponent(secret), bytes.toString('hex'), ...aligned].filter(
    (text) => text.length > 3,
  );
}

describe('a key is in no recording', () => {
  test('in an answer that echoes it, later, over another connection', () => {
    const redactor = new Redactor(undefined);
    redactor.redact(request(`key=${KEY}`, '{}'));
    const body = Buffer.from(JSON.stringify({ Key: KEY }));
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`;
    const stored = redactor.redact(
      rawExchange({ head: headFor('', Buffer.alloc(0)), body: Buffer.alloc(0) }, { head, body }),
    );
    expect(stored.response?.body).toEqual({ text: '{"Key":"‹key-1›"}' });
  });

  test('in an answer that is the first to say it', () => {
    const body = Buffer.from(`{"name":"gate","cardUrl":"https://a/scan/hw/consume?key=${KEY}"}`);
    const head = `HTTP/1.1 200 OK\r\nSet-Cookie: session=0123456789abcdef\r\ncontent-length: ${body.length}\r\n\r\n`;
    const stored = new Redactor(undefined).redact(
      rawExchange({ head: headFor('', Buffer.alloc(0)), body: Buffer.alloc(0) }, { head, body }),
    );
    expect(stored.response?.body).toHaveProperty('text', expect.stringContaining('key=‹key-2›'));
    expect(JSON.stringify(stored)).not.toContain('0123456789abcdef');
  });

  test('a compressed body is not kept: a key could hide in it', () => {
    const stored = new Redactor(undefined).redact(
      request('', Buffer.from([0x1f, 0x8b, 1, 2]), 'Content-Encoding: gzip\r\n'),
    );
    expect(stored.request).toMatchObject({ body: { text: '' }, whole: false });
  });

  test('different keys have different stand-ins, the device’s own field Key is none', () => {
    const redactor = new Redactor(undefined);
    const first = redactor.redact(request('key=secret-one&Key=SERIAL77', '{"Key":"SERIAL77"}'));
    const second = redactor.redact(request('key=secret-two', '{}'));
    expect(first.request.head).toContain('?key=‹key-1›&Key=SERIAL77 ');
    expect(first.request.body).toEqual({ text: '{"Key":"SERIAL77"}' });
    expect(second.keys).toEqual(['key-2']);
  });
});

const noise = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const wrap = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `{"Card":"${base64(text)}","n":${JSON.stringify(text)}}`,
  (text) => `code=${Buffer.from(text).toString('hex')}`,
);
const urlSafe = (text: string) => base64(text).replaceAll('+', '-').replaceAll('/', '_');
const lowerEncoded = (text: string) =>
  text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);

test('a key of any characters, spelled in any way, is not in what is kept', () => {
  const key = fc.string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 40 });
  const spell = fc.constantFrom(encodeURIComponent, lowerEncoded);
  fc.assert(
    fc.property(key, noise, wrap, spell, (secret, before, inBody, spelled) => {
      const body = Buffer.concat([
        before,
        Buffer.from(` ${inBody(secret)} ${urlSafe(`ab ${secret}`)}`),
      ]);
      const stored = new Redactor(undefined).redact(request(`key=${spelled(secret)}&x=1`, body));
      const text = JSON.stringify(stored);
      for (const one of [
        JSON.stringify(secret).slice(1, -1),
        spelled(secret),
        urlSafe(`ab ${secret}`),
      ])
        expect(text).not.toContain(one);
    }),
  );
});

test('restoring a key brings the same bytes back', () => {
  const key = fc.stringMatching(/^[A-Za-z0-9_.~-]{6,60}$/);
  fc.assert(
    fc.property(key, noise, wrap, fc.boolean(), (secret, before, inBody, chunked) => {
      const content = Buffer.concat([before, Buffer.from(` ${inBody(secret)}`)]);
      const body = chunked ? encodeChunk(content) : content;
      const raw = request(`key=${secret}&x=1`, body);
      if (chunked) {
        raw.request.head = raw.request.head.replace(
          /Content-Length: \d+/,
          'transfer-encoding: chunked',
        );
      }
      const stored = new Redactor(undefined).redact(raw);
      const restored = new Restorer(new Map([['key-1', secret]])).restore(stored.request);
      expect(restored.head).toBe(raw.request.head);
      expect(restored.body.equals(raw.request.body)).toBe(true);
    }),
  );
});

test('another key of another length makes the body another length, and Content-Length says so', () => {
  const stored = new Redactor(undefined).redact(request(`key=${KEY}`, `{"apiKey":"${KEY}"}`));
  const { head, body } = new Restorer(new Map([['key-1', 'short-one']])).restore(stored.request);
  expect(body.toString()).toBe('{"apiKey":"short-one"}');
  expect(head).toContain(`Content-Length: ${body.length}\r\n`);
});

describe('ticket codes, where they are hidden', () => {
  const salt = Buffer.alloc(32, 7);

  test.each([
    ['access-controller', JSON.stringify({ Card: base64(CODE), Serial: 'S1' })],
    ['bas-ip', JSON.stringify({ identifier_number: CODE, identifier_type: 'qr' })],
    ['vguang', `vgdecoderesult=${CODE}&&devicenumber=001`],
    ['rest', JSON.stringify({ ticketCode: CODE })],
    [
      'unknown',
      JSON.stringify({ media: { value: base64(CODE) }, id: 'tkt_abc123_0123456789abcdefghij' }),
    ],
  ])('of %s are replaced by ones of the same length', (model, text) => {
    const raw = request(`key=${KEY}`, text);
    const stored = new Redactor(salt).redact(raw);
    const kept = JSON.stringify(stored);
    for (const secret of [CODE, '0123456789abcdefghij', 'AAECAwQFBgcICQoLDA0ODw'])
      for (const spelling of spellingsOf(secret)) expect(kept).not.toContain(spelling);
    expect(stored.model).toBe(model);
    expect(stored.request.body).toHaveProperty('text.length', text.length);
  });

  test('the same code has the same stand-in, in request and answer, and still looks like one', () => {
    const body = Buffer.from('{"ticketId":"tkt_abc123_0123456789abcdefghij"}');
    const sent = Buffer.from(JSON.stringify({ ticketCode: CODE }));
    const raw = rawExchange(
      { head: headFor('', sent), body: sent },
      { head: `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`, body },
    );
    const redactor = new Redactor(salt);
    const [one, two] = [redactor.redact(raw), redactor.redact(raw)];
    expect(one).toEqual(two);
    const said = JSON.parse((one.request.body as { text: string }).text).ticketCode;
    const id = JSON.parse((one.response!.body as { text: string }).text).ticketId;
    expect(said).toMatch(/^TS1\.tkt_abc123_[a-z0-9]{20}\.[A-Za-z0-9_-]{22}$/);
    expect(said.split('.')[1]).toBe(id);
    expect(new Redactor(Buffer.alloc(32, 8)).redact(raw)).not.toEqual(one);
  });

  test.each(['base64', 'base64url'] as const)('the dialect of %s stays', (dialect) => {
    const card = Buffer.from('>>>???ü~~A1b2').toString(dialect);
    const stored = new Redactor(salt).redact(request('', JSON.stringify({ Card: card })));
    const { Card } = JSON.parse((stored.request.body as { text: string }).text);
    expect(Buffer.from(Card, dialect).toString(dialect)).toBe(Card);
    expect(Buffer.from(Card, dialect).toString()).toMatch(/^>>>\?\?\?ü~~[A-Z]\d[a-z]\d$/);
    expect(Card).not.toBe(card);
  });

  test('a replay puts other codes in their place', () => {
    const stored = new Redactor(salt).redact(request('', JSON.stringify({ Card: base64(CODE) })));
    const { Card } = JSON.parse((stored.request.body as { text: string }).text);
    const codes = new Map([[Buffer.from(Card, 'base64').toString(), 'ANOTHER-CODE']]);
    const { head, body } = new Restorer(new Map(), codes).restore(stored.request);
    expect(JSON.parse(body.toString())).toEqual({ Card: base64('ANOTHER-CODE') });
    expect(head).toContain(`Content-Length: ${body.length}\r\n`);
  });

  test('short codes are replaced where they stand alone', () => {
    const stored = new Redactor(salt).redact(
      request('', '{"identifier_number":"4711","identifier_type":"input_code","n":"14711"}'),
    );
    expect(JSON.stringify(stored)).not.toContain('\\"4711\\"');
    expect(JSON.stringify(stored)).toContain('14711');
  });
});
