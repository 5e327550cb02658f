import type { ServerResponse } from 'node:http';
import type { AnswerSink } from '../../scan/http/exchange.ts';

type Headers = Readonly<Record<string, string | number>>;

/** An answer that is not on the wire yet: it may be sent, spoilt or lost. */
export class CapturedAnswer implements AnswerSink {
  status = 0;
  text = '';
  headers: Headers = {};

  writeHead(status: number, headers: Headers): void {
    this.status = status;
    this.headers = headers;
  }

  end(text: string): void {
    this.text = text;
  }

  send(response: ServerResponse): void {
    response.writeHead(this.status, { ...this.headers });
    response.end(this.text);
  }

  /** All of it, going by its head; no JSON, and nothing that a reader of text would take for its answer. */
  sendMalformed(response: ServerResponse): void {
    const text = `${this.text.slice(0, -1)}<`;
    const length = Buffer.byteLength(text);
    response.writeHead(this.status, { ...this.headers, 'content-length': length });
    response.end(text);
  }

  /** The head promises all of it, then the connection ends in the middle. */
  sendTruncated(response: ServerResponse): void {
    response.writeHead(this.status, { ...this.headers });
    response.write(this.text.slice(0, Math.floor(this.text.length / 2)), () => {
      response.socket?.destroySoon();
    });
  }
}
