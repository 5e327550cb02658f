import type { Server } from 'node:http';
import type { Logger } from 'pino';

const SEGMENT_CHARACTERS_MAX = 24;
const PATH_CHARACTERS_MAX = 200;
/** Below it, a part of the path may be the secret of a device. */
const SECRET_PATHS = /^\/devices\/./;

/** Writes a line for each request that is answered or given up, where the log takes lines of that level. */
export function logRequests(server: Server, log: Logger): void {
  if (!log.isLevelEnabled('debug')) return;
  server.prependListener('request', (request, response) => {
    const beganAt = performance.now();
    const { method, url = '' } = request;
    const path = safePath(url);
    response.once('close', () => {
      const ms = Math.round((performance.now() - beganAt) * 10) / 10;
      const status = response.headersSent ? response.statusCode : null;
      log.debug({ method, path, status, ms }, 'request');
    });
  });
}

/** The path without its query, and without what may be a key or a code that somebody put into it. */
export function safePath(url: string): string {
  const mark = url.indexOf('?');
  const path = (mark === -1 ? url : url.slice(0, mark)).slice(0, PATH_CHARACTERS_MAX);
  if (SECRET_PATHS.test(path)) return '/devices/…';
  return path.split('/').map(safeSegment).join('/');
}

function safeSegment(segment: string): string {
  return segment.length > SEGMENT_CHARACTERS_MAX || segment.includes('tscn') ? '…' : segment;
}
