import { expect, test } from 'vitest';
import { sharedService } from '../admin/support/shared-service.ts';

/** What Chromium sends with an address that somebody typed. */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
  'accept-language': 'de-DE,de;q=0.9,en;q=0.8',
};
const FOR_PROGRAMS = '{"message":"Not Found"}';

const at = sharedService();

async function ask(path: string, headers: Record<string, string> = BROWSER, method = 'GET') {
  const response = await fetch(at.service.url + path, { method, headers });
  const { status, headers: sent } = response;
  return { status, type: sent.get('content-type'), headers: sent, text: await response.text() };
}

test.each([
  '/nothing',
  '/nothing?key=tscn_hw_secret',
  '/tickets/a/b/c',
  '/assets/nothing.js',
  '/nothing%',
  '/%2e%2e%2fetc',
  '/scans',
  '/scan/',
  '/admin',
  '/devices/',
])('%s shows a browser a page', async (path) => {
  const { status, type, headers, text } = await ask(path);
  expect([status, type]).toEqual([404, 'text/html; charset=utf-8']);
  expect(text).toContain('<html lang="de">');
  expect(text).toContain('<title>Seite nicht gefunden – ticketscan</title>');
  expect(text).toContain('<h1>Seite nicht gefunden</h1>');
  expect(text).not.toMatch(/<script|modulepreload|style=|secret|etc/);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('cache-control')).toBe('no-store');
});

test.each(['/nothing', '/a/b/c', '/a//b', '/nothing?at=/x/y'])(
  'the links of %s lead to the dashboard and to its files, also below a path',
  async (path) => {
    const { text } = await ask(path);
    const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link);
    const below = links.map(
      (link) => new URL(link, `http://gate.example/svc/gate${path}`).pathname,
    );
    expect(below.filter((link) => !link.startsWith('/svc/gate/assets/'))).toEqual(['/svc/gate/']);
    expect(below.length).toBeGreaterThan(2);
    for (const link of below) {
      const found = await ask(link.replace('/svc/gate', ''));
      expect([link, found.status]).toEqual([link, 200]);
    }
  },
);

test.each([
  [undefined, 'en'],
  ['fr-FR, fr;q=0.9', 'en'],
  ['en-GB,en;q=0.9,de;q=0.5', 'en'],
  ['de-AT', 'de'],
])('with the languages %s it is in %s', async (languages, language) => {
  const { text } = await ask('/nothing', {
    accept: 'text/html',
    'accept-language': languages ?? '*',
  });
  expect(text).toContain(`<html lang="${language}">`);
  expect(text).toContain(language === 'de' ? 'Zur Startseite' : 'Go to the start page');
});

test.each([
  '/scan/nothing',
  '/scan/validate/',
  '//scan/nothing',
  '/SCAN/nothing',
  '/%73can/nothing',
  '/scan%2fnothing',
  '/admin/v2/keys',
  '/devices/tscn_hw_secret/nothing',
  '/_test/clock',
  `/${'a/'.repeat(1000)}`,
])('%s is for programs: a browser gets their answer', async (path) => {
  const { status, type, text } = await ask(path);
  expect([status, type, text]).toEqual([404, 'application/json; charset=utf-8', FOR_PROGRAMS]);
});

test('unknown paths of the administration, and methods that scan paths do not take, are answered as before', async () => {
  const ofAdministration = await ask('/admin/v1/nothing');
  expect([ofAdministration.status, JSON.parse(ofAdministration.text)]).toEqual([
    404,
    { message: 'Not Found', code: 'not_found' },
  ]);
  for (const path of ['/scan/validate', '/scan/hw/heartbeat']) {
    expect((await ask(path)).status).toBe(405);
  }
  expect((await ask('/scan/hw/nothing')).text).toContain('"AcsRes":"0"');
});

test.each([
  '*/*',
  'application/json',
  'text/html;q=0',
  'text/*',
  'application/xhtml+xml',
  'application/json, text/plain, */*',
])('a program that accepts %s gets the answer for programs', async (accept) => {
  const { status, text } = await ask('/nothing', { accept });
  expect([status, text]).toEqual([404, FOR_PROGRAMS]);
});

test.each(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])('%s gets no page', async (method) => {
  const { status, type, text } = await ask('/nothing', BROWSER, method);
  expect([status, type]).toEqual([404, 'application/json; charset=utf-8']);
  expect(text).toBe(method === 'HEAD' ? '' : FOR_PROGRAMS);
});
