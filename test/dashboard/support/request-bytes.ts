import http from 'node:http';
import { buffer } from 'node:stream/consumers';

interface BytesAnswer {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** GET as it comes over the wire: `fetch` would decompress the answer and tidy the path. */
export function requestBytes(url: string, acceptEncoding: string): Promise<BytesAnswer> {
  const { hostname, port, origin } = new URL(url);
  const path = url.slice(origin.length);
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': acceptEncoding };
    http
      .get({ hostname, port, path, headers }, async (response) => {
        const body = await buffer(response);
        resolve({ status: response.statusCode, headers: response.headers, body });
      })
      .on('error', reject);
  });
}
