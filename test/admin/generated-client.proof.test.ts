import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, onTestFinished, test } from 'vitest';
import { TestService } from '../support/service.ts';

const run = promisify(execFile);
const compiler = fileURLToPath(import.meta.resolve('typescript/lib/tsc.js'));
const typeRoots = fileURLToPath(new URL('../../node_modules/@types', import.meta.url));

/** The compiler takes seconds, on a busy machine many. */
const COMPILE_MS = 120_000;

/** Own software and a device, typed by nothing but what is generated. */
const CLIENT = `
import type { operations, paths } from './schema.ts';

type Json<Of extends { content: { 'application/json': unknown } }> = Of['content']['application/json'];
type Consume = operations['scanConsume'];
type Card = operations['hardwareConsume'];

const [url = '', apiKey = '', deviceKey = '', ticketCode = ''] = process.argv.slice(2);

async function post(path: keyof paths, query: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  return fetch(url + path + query, { method: 'POST', headers, body: JSON.stringify(body) });
}

const scan: Json<Consume['requestBody']> = { ticketCode };
// @ts-expect-error another name than the document's
const misspelt: typeof scan = { ticketcode: ticketCode };
const answer = await post('/scan/consume', '', scan);
const result = (await answer.json()) as Json<Consume['responses'][200]>;
console.log(answer.status, result.status, result.usesRemaining);

const card: Json<Card['requestBody']> = { Card: btoa(ticketCode) };
const query: NonNullable<Card['parameters']['query']> = { key: deviceKey };
const beat: operations['hardwareHeartbeat']['parameters']['query'] = { ...query, Key: 'own' };
if (beat.key !== deviceKey) throw new Error('the key is another one');
const told = await post('/scan/hw/consume', \`?key=\${deviceKey}\`, card);
const order = (await told.json()) as Json<Card['responses'][200]>;
if ('handled' in order) throw new Error('the answer is for another model');
console.log(order.AcsRes === '1' ? \`open for \${order.Time} s, \${order.Name}\` : order.Note);
`;

test(
  'a client that is generated from the document compiles under strict, and scans',
  async () => {
    await using service = await TestService.start({ store: 'memory' });
    const folder = mkdtempSync(join(tmpdir(), 'ticketscan-generated-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const document = await (await fetch(`${service.url}/openapi.json`)).text();
    writeFileSync(join(folder, 'schema.ts'), astToString(await openapiTS(document)));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');

    writeFileSync(join(folder, 'client.ts'), CLIENT);
    await compile(folder);

    const code = await service.mint({ kind: 'multi', uses: 2, firstName: 'Emmy' });
    const values = [service.url, service.key('rest'), service.key('hardware'), code];
    const { stdout } = await run(process.execPath, ['client.ts', ...values], { cwd: folder });
    expect(stdout).toBe('200 consumed 1\nopen for 5 s, Emmy\n');
  },
  COMPILE_MS,
);

async function compile(cwd: string): Promise<void> {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const modules = ['--module', 'nodenext', '--target', 'es2024', '--allowImportingTsExtensions'];
  const types = ['--types', 'node', '--typeRoots', typeRoots, '--skipLibCheck'];
  const options = ['--noEmit', ...strict, ...modules, ...types];
  await run(process.execPath, [compiler, ...options, 'client.ts'], { cwd });
}
