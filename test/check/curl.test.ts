import { execFile } from 'node:child_process';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { RequestSpec } from '../../src/check/facts/exchange.ts';
import { curlLine, Redactor } from '../../src/check/requests/redact.ts';

const KEY = 'k3y-with-\'quotes"&$HOME`x`';
const run = promisify(execFile);

/** A server that remembers the last request, as it came. */
async function listener() {
  const seen: { method?: string; url?: string; headers: string[]; body: Buffer }[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, rawHeaders } = request;
      seen.push({
        ...(method ? { method } : {}),
        ...(url ? { url } : {}),
        headers: rawHeaders,
        body: Buffer.concat(chunks),
      });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { seen, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) };
}

const REQUESTS: Record<string, RequestSpec> = {
  'a key with letters behind it': {
    path: '/scan/validate',
    headers: [['x-api-key', `${KEY}AA`]],
    body: '{}',
  },
  'a REST scan': {
    path: '/scan/validate',
    headers: [
      ['x-api-key', KEY],
      ['content-type', 'application/json'],
    ],
    body: '{"ticketCode":"it\'s \\"a\\" $code"}',
  },
  'a device scan': { path: '/scan/hw/consume', query: [['key', KEY]], body: '{"Card":"QQ=="}' },
  'a spoiled key': {
    path: '/scan/validate',
    headers: [['x-api-key', KEY.slice(0, -1)]],
    body: '{}',
  },
  'a key among signs that a shell reads': {
    path: '/scan/validate',
    headers: [['x-api-key', `Bearer ${KEY} "$HOME" \\ \`id\` 'x'`]],
    body: '{}',
  },
  'an empty header': { path: '/scan/validate', headers: [['x-api-key', '']], body: '{}' },
  'bytes that are not text': { path: '/scan/validate', body: Buffer.from([0, 255, 10, 39]) },
  'another method': { method: 'PUT', path: '/scan/validate', body: '{}' },
};

test.each(Object.keys(REQUESTS))(
  'the curl line of %s sends the same request, with the key as a variable',
  async (name) => {
    const request = REQUESTS[name]!;
    const { seen, url } = await listener();
    const redactor = new Redactor();
    redactor.add(KEY, '$REST_KEY');
    redactor.add(KEY.slice(0, -1), `$\{REST_KEY%?}`);
    const line = curlLine(url, request, redactor);
    expect(line).not.toContain('k3y');

    // in an address the shell puts the key in as it is: it is given encoded there, as a real key would be
    const key = request.query ? encodeURIComponent(KEY) : KEY;
    await run('bash', ['-c', line], { env: { ...process.env, REST_KEY: key } });
    const [received] = seen;
    expect(received?.method).toBe(request.method ?? 'POST');
    expect(received?.body).toEqual(Buffer.from(request.body ?? ''));
    if (request.query) expect(new URL(received?.url ?? '', url).searchParams.get('key')).toBe(KEY);
    for (const [header, value] of request.headers ?? []) {
      const at = received?.headers.findIndex((one) => one.toLowerCase() === header) ?? -1;
      expect(received?.headers[at + 1]).toBe(value);
    }
  },
);
