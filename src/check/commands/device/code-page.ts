import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { escapeMarkup } from '../../../kit/text.ts';
import { renderQr } from '../../../tickets/codes/render-qr.ts';
import type { Step } from '../../index.ts';

const REFRESH_SECONDS = 1;
const STYLE =
  'body{font:20px system-ui,sans-serif;text-align:center;margin:2rem;background:#fff;color:#111}svg{width:min(60vmin,24rem);height:auto}';

/** A page on this machine that shows the code of the moment: larger than on a terminal, and for readers that need a bright screen. */
export class CodePage {
  readonly url: string;
  readonly #server: ReturnType<typeof createServer>;
  #step: Step | undefined;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  /** On a free port of loopback. */
  static async open(): Promise<CodePage> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const page = new CodePage(server);
    server.on('request', (_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.setHeader(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'",
      );
      response.setHeader('refresh', String(REFRESH_SECONDS));
      response.end(page.#html());
    });
    return page;
  }

  show(step: Step): void {
    this.#step = step;
  }

  [Symbol.dispose](): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #html(): string {
    const text = this.#step
      ? `${renderQr(this.#step.code, { format: 'svg' })}<p>Code ${this.#step.number}. ${escapeMarkup(this.#step.hint)}`
      : '<p>The session has not begun. The codes appear here.';
    return `<!doctype html><html lang="en"><meta charset="utf-8"><title>ticketscan check device</title><style>${STYLE}</style><body>${text}</body></html>\n`;
  }
}
