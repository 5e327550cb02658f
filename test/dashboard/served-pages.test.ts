import { globSync, readFileSync, statSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PAGE_PATHS } from '../../src/serve/page.ts';
import { sharedService } from '../admin/support/shared-service.ts';
import { requestBytes } from './support/request-bytes.ts';

const at = sharedService();

const assets = () =>
  globSync('assets/*.{js,css,svg}.br', { cwd: 'dist/dashboard' }).map((file) => file.slice(0, -3));

test.each(PAGE_PATHS)('%s is the page, under a policy that lets nothing else in', async (path) => {
  const response = await fetch(at.service.url + path.replace(':id', 'tkt_a_b'));

  expect(response.status).toBe(200);
  expect(await response.text()).toContain('<div id="root">');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|data:|blob:|\*/);
  expect(response.headers.get('permissions-policy')).toContain('camera=(self)');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('cache-control')).toBe('no-cache');
});

test('the page has no inline code and names no other server', () => {
  const page = readFileSync('dist/dashboard/index.html', 'utf8');
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=|https?:/);
});

test('the files that every page needs weigh less than 400 KB, compressed', () => {
  const page = readFileSync('dist/dashboard/index.html', 'utf8');
  const needed = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => `${path}.gz`);
  expect(needed.length).toBeGreaterThan(2);
  const bytes = ['index.html', ...needed]
    .map((path) => statSync(`dist/dashboard/${path}`).size)
    .reduce((sum, size) => sum + size);
  expect(bytes).toBeLessThan(400 * 1024);
});

test('files are compressed beforehand and may be kept for a year, because their names change', async () => {
  expect(assets().length).toBeGreaterThan(10);
  for (const file of assets()) {
    const { headers, body } = await requestBytes(`${at.service.url}/${file}`, 'br');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-encoding']).toBe('br');
    const content = brotliDecompressSync(body);
    const gzip = await requestBytes(`${at.service.url}/${file}`, 'gzip');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body)).toEqual(content);
    const plain = await requestBytes(`${at.service.url}/${file}`, 'identity');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toEqual(content);
  }
});

test('a file that the client has is not sent again, also when a proxy has weakened its tag', async () => {
  const url = `${at.service.url}/${assets()[0]}`;
  const tag = (await fetch(url)).headers.get('etag') ?? '';
  const status = async (tags: string) =>
    (await fetch(url, { headers: { 'if-none-match': tags } })).status;
  expect(tag).toMatch(/^".+"$/);
  for (const tags of [tag, `W/${tag}`, `"x", ${tag}`, '*']) expect(await status(tags)).toBe(304);
  for (const tags of ['"x"', '', 'W/*']) expect(await status(tags)).toBe(200);
});

test.each([
  '/assets/nothing.js',
  '/.built-from',
  '/assets/..%2f.built-from',
  '/%2e%2e/%2e%2e/package.json',
])('%s is not found, as before', async (path) => {
  const { status, body } = await requestBytes(at.service.url + path, 'identity');
  expect(status).toBe(404);
  expect(body.toString()).toBe('{"message":"Not Found"}');
});
