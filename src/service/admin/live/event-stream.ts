import type { ServerResponse } from 'node:http';

/** What may wait in memory for a client that reads slowly. */
const BUFFER_BYTES_MAX = 256 * 1024;

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) with bounded memory. */
export class EventStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, headers: Readonly<Record<string, unknown>>) {
    this.#response = response;
    // A broken connection is not an error; `closed` reports it.
    response.on('error', () => {});
    response.writeHead(200, {
      ...(headers as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      // Proxies would hold events back until there are enough of them.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** True while the client does not keep up: then nothing more should be fetched for it. */
  get behind(): boolean {
    return this.#response.writableLength > BUFFER_BYTES_MAX;
  }

  /** @param id what the client sends as `Last-Event-ID` when it comes back */
  send(event: string, data: unknown, id?: number): void {
    const idLine = id === undefined ? '' : `id: ${id}\n`;
    this.#response.write(`${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Keeps proxies from closing a quiet connection. */
  comment(): void {
    this.#response.write(': alive\n\n');
  }

  end(): void {
    this.#response.end();
  }
}
