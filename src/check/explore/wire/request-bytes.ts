import type { RequestSpec } from '../../exchange.ts';
import { joinUrl } from '../../http-failure.ts';

/** A request as it goes over the wire, in one piece, with its length. */
export function requestBytes(baseUrl: URL, spec: RequestSpec): Buffer {
  const url = new URL(joinUrl(baseUrl, spec));
  const body = Buffer.from(spec.body ?? '');
  const lines = [
    `${spec.method ?? 'POST'} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...(spec.headers ?? []).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
}
