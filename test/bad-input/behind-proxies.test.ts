import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { isDocumented } from './support/answers.ts';
import { type RequestCase, requestCases } from './support/corpus.ts';
import { documented, type Judge, Player, SECRETS } from './support/play.ts';
import { CorpusService } from './support/service.ts';

/** Debian's proxies, configured as their manuals show for a service behind them. */
const PROXIES = {
  nginx: {
    arguments: (folder: string) => [
      '-p',
      folder,
      '-c',
      join(folder, 'proxy.conf'),
      '-g',
      'daemon off;',
    ],
    configuration: (port: number, service: number, folder: string) => `
      pid ${folder}/nginx.pid; error_log ${folder}/error.log; worker_processes 1; user root;
      events { worker_connections 256; }
      http {
        access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
        upstream scan { server 127.0.0.1:${service}; keepalive 8; }
        server {
          listen 127.0.0.1:${port};
          location / { proxy_pass http://scan; proxy_http_version 1.1; proxy_set_header Connection ""; }
        }
      }`,
  },
  haproxy: {
    arguments: (folder: string) => ['-f', join(folder, 'proxy.conf'), '-db'],
    configuration: (port: number, service: number) => `
global
  maxconn 256
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend gate
  bind 127.0.0.1:${port}
  default_backend scan
backend scan
  server one 127.0.0.1:${service}
`,
  },
} as const;

type ProxyName = keyof typeof PROXIES;

function isInstalled(name: ProxyName): boolean {
  try {
    execFileSync(name, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function startProxy(name: ProxyName, service: number) {
  const folder = mkdtempSync(join(tmpdir(), `ticketscan-${name}-`));
  mkdirSync(join(folder, 'logs'));
  const port = await freePort();
  const proxy = PROXIES[name];
  writeFileSync(join(folder, 'proxy.conf'), proxy.configuration(port, service, folder));
  const child = spawn(name, proxy.arguments(folder), { stdio: 'ignore' });
  await untilListening(port, child);
  return {
    port,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const connected = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (connected) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`the proxy ended with ${child.exitCode}`);
}

/**
 * A proxy may refuse for itself what is no good HTTP, with its own words, or pass it on in good form. What it passes on
 * gets the documented answer; no use is registered that is not answered to the one who asked.
 */
const throughProxy: Judge = (one, answer) => {
  const isRefusedByProxy =
    answer === undefined ||
    [400, 403, 405, 408, 411, 413, 414, 431].includes(answer.status) ||
    answer.status === 501 ||
    answer.status === 505;
  const mayRefuse = ['framing', 'paths', 'content-types', 'keys', 'retry-names'].includes(
    one.group,
  );
  if (mayRefuse && isRefusedByProxy) return undefined;
  // Some mend what they can, such as a line that ends with LF alone: then it is a good request, and its use is answered.
  if (one.group === 'framing' && isDocumented('consumed', answer)) return undefined;
  return documented(one, answer);
};

describe.each(Object.keys(PROXIES) as ProxyName[])('behind %s', (name) => {
  // Without the proxy on this machine there is nothing to test; `.ci/run` installs both.
  test.skipIf(!isInstalled(name))(
    'no request of the corpus harms another, takes a use or brings an error of the service',
    async () => {
      await using service = await CorpusService.start({ uses: 9999 });
      await using proxy = await startProxy(name, service.port);
      const player = new Player(service, proxy.port, throughProxy);
      const cases = requestCases.filter((one): one is RequestCase => one.group !== 'time-limits');
      for (const one of cases) await player.play(one);
      player.close();

      expect(player.failures).toEqual([]);
      expect((await service.store.audit()).problems).toEqual([]);
      expect(SECRETS.filter((secret) => service.logs.includes(secret))).toEqual([]);
    },
    240_000,
  );
});
