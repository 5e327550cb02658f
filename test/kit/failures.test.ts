import { expect, test } from 'vitest';
import {
  asSentence,
  connectionFailure,
  fileFailure,
  inOneClause,
  inSentences,
  listenFailure,
} from '../../src/kit/failures.ts';

const withCode = (code: string) => Object.assign(new Error(`what Node says of ${code}`), { code });

test.each([
  ['ECONNREFUSED', 'http://gate', /^nothing listens at http:\/\/gate .*is 80 its port\?$/],
  ['EAI_AGAIN', 'https://gate:1', /^the name "gate" cannot be resolved \(EAI_AGAIN\): check/],
  ['CERT_HAS_EXPIRED', 'https://gate', /^the certificate of https:\/\/gate has expired/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'https://[::1]:2', /is for another name than "::1"/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'https://gate', /is not trusted .*--ca FILE/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'https://gate', /does not speak TLS.*is it http:\/\//],
  ['ETIMEDOUT', 'http://gate', /^no connection to http:\/\/gate in time: .*firewalls/],
  [
    'ERR_ANSWER_LATE',
    'http://gate',
    /^http:\/\/gate gives no answer in time: it has the request(?!.*firewall)/,
  ],
  [
    'UND_ERR_HEADERS_TIMEOUT',
    'http://gate',
    /^http:\/\/gate gives no answer in time: it has the request(?!.*firewall)/,
  ],
  ['EHOSTUNREACH', 'http://gate', /no route leads to http:\/\/gate/],
  ['EWHATEVER', 'http://gate', /^no connection to http:\/\/gate \(EWHATEVER\)/],
  ['ECONNREFUSED', 'https://gate', /is 443 its port\?$/],
  ['ECONNREFUSED', 'https://gate:80', /is 80 its port\?$/],
])('%s of a connection to %s is explained', (code, url, expected) => {
  expect(inOneClause(connectionFailure(withCode(code), url))).toMatch(expected);
});

test.each([
  ['EADDRINUSE', 'Port 80 is taken. Choose another with --port; 0 picks a free one.'],
  ['EACCES', 'Port 80 needs more rights. Choose one above 1023 with --port.'],
  ['ENOTFOUND', '"gate" is not an address of this machine. Choose one with --host.'],
])('%s of a server is explained', (code, expected) => {
  expect(inSentences(listenFailure(withCode(code), 'gate', 80))).toBe(expected);
});

test('an address at the beginning of a sentence stays as it is', () => {
  expect(asSentence('http://gate does not speak TLS')).toBe('http://gate does not speak TLS.');
  expect(asSentence('is it so?')).toBe('Is it so?');
});

test('a request that waited too long is known by its name, and no answer by its code', () => {
  const timeout = new DOMException('The operation was aborted', 'TimeoutError');
  for (const error of [{ name: 'TimeoutError', message: 'x' }, timeout]) {
    expect(connectionFailure(error, 'http://gate').what).toMatch(/no answer in time/);
  }
  expect(connectionFailure(undefined, 'http://gate').what).toMatch(/\(undefined\)$/);
});

test('a file’s failure is explained, or repeated when nobody can change it', () => {
  expect(fileFailure(withCode('ENOSPC'))).toBe('the disk is full');
  expect(fileFailure(withCode('EWHATEVER'))).toBe('what Node says of EWHATEVER');
  expect(fileFailure('odd')).toBe('odd');
});
