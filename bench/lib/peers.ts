import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { mockoonEnvironment, openApi, wireMockMapping } from './peer-answers.ts';
import { type PeerTool, peerTool, peerVersion } from './peer-tools.ts';
import { SAMPLE_ANSWER } from './sample-answer.ts';
import { endsWithUs, type Running } from './servers.ts';

export interface Peer {
  readonly name: string;
  readonly start: (folder: string) => Promise<Running>;
}

const START_MS_MAX = 60_000;
/** It keeps every request and says so, unless it is told not to. */
const WIREMOCK_QUIET = ['--disable-banner', '--no-request-journal', '--disable-request-logging'];

/**
 * What people use today as a local stand-in for a scan service, each giving the same answer to the same request: as it
 * starts by itself, and where that makes a difference with everything off that it does beside answering.
 */
export const PEERS: readonly Peer[] = [
  wireMock('as it starts', []),
  wireMock('bare', WIREMOCK_QUIET),
  prism('as it starts', []),
  prism('bare', ['--verboseLevel', 'fatal']),
  peer('Mockoon', '@mockoon/cli', (tool, folder, port) => {
    const file = write(join(folder, 'mockoon.json'), mockoonEnvironment(SAMPLE_ANSWER));
    const flags = ['--port', port, '--disable-log-to-file', '--max-transaction-logs', '0'];
    return [process.execPath, join(tool, 'bin/run.js'), 'start', '--data', file, ...flags];
  }),
  peer('json-server', 'json-server', (tool, folder, port) => {
    const data = write(join(folder, 'db.json'), { scans: [] });
    const answer = join(folder, 'answer.cjs');
    const text = JSON.stringify(SAMPLE_ANSWER);
    writeFileSync(answer, `module.exports = (request, response) => response.json(${text});\n`);
    const flags = ['--quiet', '--port', port, '--middlewares', answer];
    return [process.execPath, join(tool, 'lib/cli/bin.js'), data, ...flags];
  }),
];

function wireMock(how: string, flags: readonly string[]): Peer {
  return peer(`WireMock ${how}`, 'wiremock', (tool, folder, port) => {
    mkdirSync(join(folder, 'mappings'), { recursive: true });
    write(join(folder, 'mappings/consume.json'), wireMockMapping(SAMPLE_ANSWER));
    const jar = join(tool, `build/wiremock-standalone-${peerVersion('wiremock')}.jar`);
    return ['java', '-jar', jar, '--port', port, '--root-dir', folder, ...flags];
  });
}

function prism(how: string, flags: readonly string[]): Peer {
  return peer(`Prism ${how}`, '@stoplight/prism-cli', (tool, folder, port) => {
    const file = write(join(folder, 'openapi.json'), openApi(SAMPLE_ANSWER));
    const place = ['-h', '127.0.0.1', '-p', port];
    return [process.execPath, join(tool, 'dist/index.js'), 'mock', file, ...place, ...flags];
  });
}

function peer(
  name: string,
  tool: PeerTool,
  commandOf: (toolFolder: string, folder: string, port: string) => string[],
): Peer {
  return {
    name: name.replace(/^\S+/, (word) => `${word} ${peerVersion(tool)}`),
    start: async (parent) => {
      const folder = join(parent, name);
      mkdirSync(folder);
      const port = await freePort();
      const [file = '', ...args] = commandOf(peerTool(tool), folder, String(port));
      const url = `http://127.0.0.1:${port}`;
      return startPeer(file, args, url, () => givesSample(url));
    },
  };
}

/** @param isReady asks it once; it may fail as long as the server has not started */
export async function startPeer(
  file: string,
  args: readonly string[],
  url: string,
  isReady: () => Promise<boolean>,
): Promise<Running> {
  const child = spawn(file, args, { stdio: 'ignore' });
  endsWithUs(child);
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${file} ${args.join(' ')} ended before it answered`);
  });
  await Promise.race([answering(url, isReady), ended]);
  ended.catch(() => {});
  return {
    url,
    process: child,
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Waits until the very answer comes that is measured. */
async function answering(url: string, isReady: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + START_MS_MAX;
  let last: unknown = 'another answer';
  while (performance.now() < until) {
    try {
      if (await isReady()) return;
    } catch (error) {
      last = error;
    }
    await wait(200);
  }
  throw new Error(`${url} does not give the answer that is to be measured`, { cause: last });
}

async function givesSample(url: string): Promise<boolean> {
  const body = JSON.stringify({ ticketCode: 'TS1.sample' });
  const headers = { 'content-type': 'application/json', 'x-api-key': 'sample' };
  const response = await fetch(`${url}/scan/consume`, { method: 'POST', headers, body });
  return JSON.stringify(await response.json()) === JSON.stringify(SAMPLE_ANSWER);
}

function write(path: string, content: unknown): string {
  writeFileSync(path, JSON.stringify(content));
  return path;
}
