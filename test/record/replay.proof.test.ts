import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  codeOf,
  ownServer,
  PROGRAM,
  plainServer,
  program,
  recordingProxy,
  temporaryFolder,
} from '../simulate/support/servers.ts';
import { words } from '../support/words.ts';
import { connectTo, exchangeBytes } from './support/recorder.ts';

const folder = temporaryFolder();
const packets = new URL('../../fixtures/devices/', import.meta.url);
const listed = JSON.parse(readFileSync(new URL('packets.json', packets), 'utf8'));
const path = (name: string) => join(folder.path, name);
let server: Awaited<ReturnType<typeof ownServer>>;
let key = '';

beforeAll(async () => {
  server = await ownServer(['--rate', '1000', '--burst', '1000']);
  key = server.target.keys['hardware'] ?? '';
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

/** The program as a process that records until it is told to stop. */
async function record(out: string, options: readonly string[] = [], upstream = server.url) {
  const args = [PROGRAM, 'record', upstream, '--port', '0', '--out', out, '--json', ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: { event: string; url: string; model?: string; [name: string]: unknown }[] = [];
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => lines.push(JSON.parse(line)));
  await once(output, 'line');
  const stop = async (signal: NodeJS.Signals) => {
    const ended = once(child, 'close');
    child.kill(signal);
    return (await ended)[0] as number | null;
  };
  const signal = (name: NodeJS.Signals) => child.kill(name);
  return { url: lines[0]!.url, lines, stop, signal };
}

/** A golden packet as a device with this key would send it to this server. */
function packet(file: string, url: string): string {
  const text = readFileSync(new URL(file, packets), 'utf8');
  return text.replace(listed.key, key).replace(new URL(listed.baseUrl).host, new URL(url).host);
}

const isWhole = (answer: string) => {
  const length = Number(/content-length: (\d+)/i.exec(answer)?.[1]);
  const start = answer.indexOf('\r\n\r\n') + 4;
  return start > 3 && answer.length >= start + length;
};

async function sendPackets(url: string): Promise<string> {
  let sent = '';
  for (const { file } of listed.packets) {
    sent += packet(file, url);
    await exchangeBytes(url, [Buffer.from(packet(file, url))], isWhole);
  }
  return sent;
}

test('a Ctrl-C that comes twice, from the terminal and from npm, leaves the device file as well', async () => {
  const learnt = path('twice.yaml');
  const recorder = await record(path('twice.jsonl'), ['--learn', learnt]);
  const body = `evt=read&bc=${codeOf(server.target.tickets['single']?.[0])}&unit=LX-1`;
  const head = `POST /lane HTTP/1.1\r\nHost: lane\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`;
  await exchangeBytes(recorder.url, [Buffer.from(head + body)], isWhole);
  // half a request is waited for
  connectTo(recorder.url).write(`${head.replace('/lane', `/scan/hw/consume?key=${key}`)}evt`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const ended = recorder.stop('SIGINT');
  setTimeout(() => recorder.signal('SIGINT'), 50);
  expect(await ended).toBe(0);
  expect(readFileSync(learnt, 'utf8')).toContain('deviceFile: 1');
});

test('a recorded session of the three models is replayed byte for byte, and answered as it was', async () => {
  const recorder = await record(path('models.jsonl'));
  const sent = await sendPackets(recorder.url);
  expect(await recorder.stop('SIGINT')).toBe(0);
  const file = readFileSync(path('models.jsonl'), 'utf8');
  expect(file).not.toContain(key);
  const models = recorder.lines
    .filter(({ event }) => event === 'exchange')
    .map(({ model }) => model);
  expect(models).toEqual(
    listed.packets.map((one: { model: string; deviceFile?: string }) =>
      one.deviceFile === undefined ? one.model : 'unknown',
    ),
  );

  const watched = await recordingProxy(server.port);
  const exact = await program(
    words`record send ${path('models.jsonl')} ${watched.url} --key env:KEY --keep-host --json`,
    { KEY: key },
  );
  await watched.close();
  expect(watched.sent()).toBe(sent);
  expect(exact.code).toBe(0);

  const moved = await recordingProxy(server.port);
  const paced = await program(
    ['record', 'send', path('models.jsonl'), moved.url, '--key', 'env:KEY', '--pace', 'original'],
    { KEY: key },
  );
  await moved.close();
  expect(moved.sent()).toBe(sent.replaceAll(new URL(recorder.url).host, new URL(moved.url).host));
  expect(paced.stdout).toContain(`${listed.packets.length} answers as recorded, 0 different`);
});

test('differences are shown member by member, and are exit code 1', async () => {
  const recorder = await record(path('uses.jsonl'));
  const code = codeOf(server.target.tickets['multi']?.[0]);
  const headers = {
    'x-api-key': server.target.keys['rest'] ?? '',
    'content-type': 'application/json',
  };
  for (const action of ['validate', 'consume'])
    await fetch(`${recorder.url}/scan/${action}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ticketCode: code }),
    });
  await recorder.stop('SIGINT');
  const args = ['record', 'send', path('uses.jsonl'), server.url, '--key', headers['x-api-key']];
  const { code: exit, stdout } = await program(args);
  expect(exit).toBe(1);
  expect(stdout).toContain('usesConsumed: 1 → 2');
  expect(stdout).toContain('0 answers as recorded, 2 different');
  expect(stdout).not.toContain('scannedAt');
  expect(stdout).not.toContain(headers['x-api-key']);
  const lenient = ['--volatile', 'usesConsumed', 'usesRemaining'];
  expect((await program([...args, ...lenient])).code).toBe(0);
});

test('another status, another type of body, a missing member, no answer', async () => {
  const recorder = await record(path('other.jsonl'));
  await sendPackets(recorder.url);
  await recorder.stop('SIGTERM');
  const other = await plainServer((_request, answer) => answer(403, '{"AcsRes":"1"}'));
  const run = await program(['record', 'send', path('other.jsonl'), other.url, '--key', key]);
  await other.close();
  expect(run.code).toBe(1);
  expect(run.stdout).toContain('status: 200 → 403');
  expect(run.stdout).toContain('Note: "Ungültiges Ticket" → nothing');
  expect(run.stdout).toContain('content-type: text/plain → application/json');
  const gone = await program(['record', 'send', path('other.jsonl'), other.url, '--key', key]);
  expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining('Nothing listens')]);
});

test('an unknown device is shown field by field', async () => {
  const recorder = await record(path('unknown.jsonl'), ['--hide-codes']);
  const code = codeOf(server.target.tickets['single']?.[0]);
  for (const seq of [1, 2]) {
    const body = {
      media: { data: Buffer.from(code).toString('base64') },
      sn: 'GX-2201-77',
      lane: 2,
      ts: 1793275200 + seq,
      seq,
    };
    await fetch(`${recorder.url}/gate?token=${key}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
  }
  await recorder.stop('SIGINT');
  const shown = await program(['record', 'show', path('unknown.jsonl')]);
  expect(shown.code).toBe(0);
  for (const line of [
    /Unknown device: POST \/gate \(2 requests\)/,
    /token +query +string +‹key-1› +the API key +constant/,
    /media\.data +JSON +string +\S+ +Base64 of a ticket code +constant/,
    /sn +JSON +string +GX-2201-77 +the serial of the device +constant/,
    /lane +JSON +number +2 +a reader, door or direction/,
    /ts +JSON +number +\d+ +a Unix time in seconds +grows/,
    /seq +JSON +number +1 +a counter +grows/,
  ])
    expect(shown.stdout).toMatch(line);
  const kept = readFileSync(path('unknown.jsonl'), 'utf8');
  for (const secret of [code, Buffer.from(code).toString('base64').slice(24, -4), key])
    expect(kept).not.toContain(secret);
  const summary = recorder.lines.at(-1);
  expect(summary).toMatchObject({ event: 'summary', exchanges: 2, models: { unknown: 2 } });
});

test('whenever the program is killed, the file holds whole lines only', async () => {
  const recorder = await record(path('killed.jsonl'));
  const sending = Array.from({ length: 8 }, async () => {
    for (let i = 0; i < 200; i += 1)
      await fetch(`${recorder.url}/scan/hw/consume?key=${key}`, {
        method: 'POST',
        body: `vgdecoderesult=${i}`,
      }).then((r) => r.text());
  });
  const settled = Promise.allSettled(sending);
  while (recorder.lines.length < 50) await new Promise((resolve) => setTimeout(resolve, 5));
  await recorder.stop('SIGKILL');
  await settled;
  const text = readFileSync(path('killed.jsonl'), 'utf8');
  expect(text.endsWith('}\n')).toBe(true);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.length).toBeGreaterThan(40);
  expect(statSync(path('killed.jsonl')).mode & 0o777).toBe(0o600);
});

test('packets are extracted byte for byte, with an example where the key was, for their owner alone', async () => {
  const recorded = path('extract.jsonl');
  const recorder = await record(recorded);
  const { file } = listed.packets[0];
  const sent = packet(file, recorder.url);
  await exchangeBytes(recorder.url, [Buffer.from(sent)], isWhole);
  await recorder.stop('SIGINT');
  const extract = (into: string, ...more: string[]) =>
    program(words`record show ${recorded} --extract ${path(into)} ${more}`);
  const name = join(path('packets'), '001-access-controller.request.http');
  expect((await extract('packets')).stdout.split('\n')).toContain(name);
  expect(readFileSync(name, 'utf8')).toBe(sent.replace(key, listed.key));
  expect((await extract('packets')).code).toBe(2);

  // the real key may be in them
  await extract('closed', '--key', key);
  const modes = readdirSync(path('closed')).map((one) => statSync(join(path('closed'), one)).mode);
  expect(modes.map((mode) => mode & 0o777)).toEqual([0o600, 0o600]);
});

describe('wrong input is explained, with exit code 2', () => {
  const put = (name: string, text: string) => {
    writeFileSync(path(name), text);
    return path(name);
  };
  const header =
    '{"ticketscan":"recording","version":1,"recordedAt":"","upstream":"","codes":"real"}';

  test.each([
    ['no file', () => path('nowhere.jsonl'), /cannot be read/],
    [
      'not a recording',
      () => put('a.jsonl', 'hello\n'),
      /is not a recording of requests.*ticketscan record/,
    ],
    [
      'events of simulate',
      () => put('b.jsonl', '{"event":"start"}\n'),
      /events of a simulated session/,
    ],
    [
      'a later version',
      () => put('c.jsonl', '{"ticketscan":"recording","version":9}\n'),
      /version 9.*newer ticketscan/,
    ],
    [
      'a broken line',
      () => put('d.jsonl', `${header}\n{"number":1}\n`),
      /d\.jsonl:2: this line is not an exchange/,
    ],
  ])('%s', async (_name, file, message) => {
    const { code, stderr } = await program(['record', 'show', file()]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('no recording has a packet written outside of the folder that was asked for', async () => {
    const message = { head: 'POST / HTTP/1.1\r\n\r\n', body: { text: 'x' }, whole: true };
    const line = {
      number: 1,
      connection: 1,
      atMs: 0,
      durationMs: 0,
      model: 'x/../../outside',
      request: message,
      response: null,
      keys: [],
    };
    const file = put('climbs.jsonl', `${header}\n${JSON.stringify(line)}\n`);
    // The folder in its name would have to be there.
    mkdirSync(path('climbs/001-x'), { recursive: true });
    const run = await program(['record', 'show', file, '--extract', path('climbs')]);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('climbs.jsonl:2')]);
    expect(existsSync(path('outside.request.http'))).toBe(false);
  });

  test('a torn last line is left out and said', async () => {
    const torn = put('torn.jsonl', `${header}\n{"numb`);
    const { code, stderr } = await program(['record', 'show', torn]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('is incomplete')]);
  });

  test.each([
    [() => words`--port 70000`, /--port must be a whole number from 0 to 65535, not "70000"/],
    [() => words`--out ${PROGRAM}`, /already exists/],
    [
      () => words`--out /dev/null/a.jsonl`,
      /cannot be created: a part of its path is not a folder \(check the path\)\. .*--out\.\n$/,
    ],
    [() => words`--port ${new URL(server.url).port}`, /Choose another with --port/],
  ])('record, row %#', async (options, message) => {
    const out = path('refused.jsonl');
    const { code, stderr } = await program(words`record ${server.url} --out ${out} ${options()}`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(out)).toBe(false);
  });

  test('an unreachable service is exit code 3, and leaves no file', async () => {
    const run = await program(['record', 'http://127.0.0.1:1', '--out', path('none.jsonl')]);
    expect([run.code, existsSync(path('none.jsonl'))]).toEqual([3, false]);
  });

  test('keys that are not given are asked for by name', async () => {
    const recorder = await record(path('two-keys.jsonl'));
    for (const one of ['secret-one', 'secret-two'])
      await fetch(`${recorder.url}/scan/hw/consume?key=${one}`, { method: 'POST', body: 'x' });
    await recorder.stop('SIGINT');
    const run = await program(
      words`record send ${path('two-keys.jsonl')} ${server.url} --key key-1=secret-one`,
    );
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('‹key-2›')]);
  });
});
