import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that serves the service below a path, may be cut, and may pretend that the page has another version. */
export class PageProxy implements AsyncDisposable {
  /** No request is answered: the connection breaks. */
  isCut = false;
  /** Every request is answered with this status, as by a proxy whose server is gone. */
  status: number | undefined;
  /** Changes documents and scripts on their way. */
  change: (text: string) => string = (text) => text;
  readonly #server: Server;
  readonly #path: string;

  /** @param path such as `/svc`; empty for the top */
  private constructor(target: URL, path: string) {
    this.#path = path;
    this.#server = createServer((near, answer) => {
      if (this.isCut) {
        near.socket.destroy();
        return;
      }
      if (this.status !== undefined) {
        answer.writeHead(this.status, { 'content-type': 'text/html' }).end('<h1>proxy</h1>');
        return;
      }
      const headers = { ...near.headers, 'accept-encoding': 'identity' };
      // What it changes has the tag of what it was.
      delete headers['if-none-match'];
      const { hostname, port } = target;
      const where = { hostname, port, path: near.url?.slice(path.length), method: near.method };
      const far = request({ ...where, headers }, (got) => {
        const chunks: Buffer[] = [];
        const type = got.headers['content-type'] ?? '';
        if (!/html|javascript/u.test(type)) {
          answer.writeHead(got.statusCode ?? 0, got.headers);
          got.pipe(answer);
          return;
        }
        got.on('data', (chunk: Buffer) => chunks.push(chunk));
        got.on('end', () => {
          const body = Buffer.from(this.change(Buffer.concat(chunks).toString()));
          answer.writeHead(got.statusCode ?? 0, { ...got.headers, 'content-length': body.length });
          answer.end(body);
        });
      });
      far.on('error', () => near.socket.destroy());
      near.pipe(far);
    });
  }

  static async start(target: string, path = ''): Promise<PageProxy> {
    const proxy = new PageProxy(new URL(target), path);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
