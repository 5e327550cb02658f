import { expect, test } from 'vitest';
import {
  contentOf,
  finalHead,
  headerOf,
  headersOf,
  isChunked,
  isInterim,
  statusOf,
  staysOpen,
} from '../../src/kit/http1.ts';
import { exchangeFacts, exchangeLine } from '../../src/record/commands/texts.ts';
import { learnAnswers } from '../../src/record/device-files/recognise.ts';
import type { StoredExchange } from '../../src/record/recording.ts';
import { differencesOf } from '../../src/record/replay/differences.ts';
import { tcpServer } from '../simulate/support/servers.ts';
import { exchangeBytes, startRecorder } from './support/recorder.ts';

const FINAL = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n';
const BODY = '{"open":1}';
/** What may come in front of an answer (RFC 9110, section 15.2). */
const BEFORE = {
  nothing: '',
  continue: 'HTTP/1.1 100 Continue\r\n\r\n',
  'early hints': 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nContent-Type: text/css\r\n\r\n',
  several: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nX: y\r\n\r\n',
  'line ends without CR': 'HTTP/1.1 100 Continue\n\n',
};

function exchangeWith(head: string, whole = true): StoredExchange {
  return {
    number: 1,
    connection: 1,
    atMs: 0,
    durationMs: 7,
    model: 'unknown',
    request: {
      head: 'POST /scan HTTP/1.1\r\nExpect: 100-continue\r\n\r\n',
      body: { text: '{}' },
      whole: true,
    },
    response: { head, body: { text: whole ? BODY : '' }, whole },
    ...(whole ? {} : { failure: 'the service closed the connection before the answer' }),
    keys: [],
  };
}

test.each(Object.entries(BEFORE))(
  'the final head is the answer in every reader, after %s',
  (_name, before) => {
    const head = before + FINAL;
    expect(finalHead(head)).toBe(FINAL);
    expect(statusOf(head)).toBe(200);
    expect(headersOf(head)).toEqual(headersOf(FINAL));
    expect(headerOf(head, 'content-type')).toBe('application/json');
    expect(
      isChunked(before + FINAL.replace('Content-Length: 10', 'Transfer-Encoding: chunked')),
    ).toBe(true);
    expect(contentOf(head, Buffer.from(BODY)).toString()).toBe(BODY);
    expect(staysOpen(head)).toBe(true);
    expect(exchangeLine(exchangeFacts(exchangeWith(head)))).toContain('200 after 7 ms');
    expect(learnAnswers([exchangeWith(head)], new Set()).answers).toMatchObject([
      { status: 200, type: 'application/json' },
    ]);
    const now = { head: FINAL, body: Buffer.from(BODY) };
    expect(differencesOf({ head, body: Buffer.from(BODY) }, now, new Set())).toEqual([]);
    expect(differencesOf({ head, body: now.body }, { failure: 'lost' }, new Set())).toMatchObject([
      { recorded: 'HTTP/1.1 200 OK' },
    ]);
  },
);

test('an answer that broke off after its interim responses is no answer', () => {
  const cut = exchangeWith(BEFORE.several, false);
  expect(exchangeFacts(cut).status).toBeNull();
  expect(exchangeLine(exchangeFacts(cut))).toContain('closed the connection before the answer');
  expect(learnAnswers([cut], new Set())).toMatchObject({ answers: [], unusable: 1 });
  expect([100, 102, 103, 199].every(isInterim)).toBe(true);
  expect([0, 101, 200, 404].some(isInterim)).toBe(false);
});

test('a device that waits for 100 gets it through the recorder, which keeps the answer', async () => {
  await using server = await tcpServer((socket) => {
    socket.once('data', () => {
      socket.write(BEFORE.several);
      setImmediate(() => socket.end(FINAL + BODY));
    });
  }).then((made) => ({ ...made, [Symbol.asyncDispose]: () => made.close() }));
  await using recorder = await startRecorder(server.url);
  const request =
    'POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n';
  const pieces = [Buffer.from(request), Buffer.from('{}')];
  const got = await exchangeBytes(recorder.url, pieces, (text) => text.endsWith(BODY));
  expect(got).toContain('100 Continue');
  await recorder.close();
  const [exchange] = recorder.exchanges;
  if (!exchange) throw new Error('nothing was recorded');
  expect(exchangeFacts(exchange)).toMatchObject({ status: 200 });
});
