import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** Debian's proxies, configured as their manuals show for a service behind them. */
export const PROXIES = {
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

export type ProxyName = keyof typeof PROXIES;

export function isInstalled(name: ProxyName): boolean {
  try {
    execFileSync(name, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** @param configuration in place of the usual one */
export async function startProxy(
  name: ProxyName,
  service: number,
  configuration: (port: number, service: number, folder: string) => string = PROXIES[name]
    .configuration,
) {
  const folder = mkdtempSync(join(tmpdir(), `ticketscan-${name}-`));
  mkdirSync(join(folder, 'logs'));
  const port = await freePort();
  const proxy = PROXIES[name];
  writeFileSync(join(folder, 'proxy.conf'), configuration(port, service, folder));
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
