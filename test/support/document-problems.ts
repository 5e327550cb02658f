import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Ajv2020 from 'ajv/dist/2020.js';

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface WireAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Holds answers against an OpenAPI document, as a validating proxy would. */
export class DocumentProblems {
  /** Those with parameters last: they match the others too. */
  readonly #paths: [pattern: string, item: Readonly<Record<string, Operation>>][];
  readonly #ajv = new Ajv2020.Ajv2020({
    strict: false,
    formats: { binary: true, 'date-time': isTime },
  });

  constructor(document: Document) {
    const { paths } = document;
    this.#paths = Object.entries(paths).sort(([a], [b]) => parametersIn(a) - parametersIn(b));
    this.#ajv.addSchema({ ...document, $id: 'document' });
  }

  /** What is wrong with an answer; undefined when the document allows it, or does not speak of its path. */
  problemOf({ method, path, status, type, text }: WireAnswer): string | undefined {
    const found = this.#operationOf(method, path, status);
    if (!found) return undefined;
    const [pointer, { responses }] = found;
    const answer = `${method} ${path} ${status} ${type} ${text.slice(0, 200)}`;
    const response = responses[status];
    if (!response) return `${answer}: the document has no such status`;
    const mediaType = type.split(';')[0] ?? '';
    if (!response.content?.[mediaType]) return `${answer}: the document has no such content type`;
    if (method === 'HEAD') return undefined;
    const place = ['responses', String(status), 'content', mediaType, 'schema'].map(escaped);
    const $ref = `document#${pointer}/${place.join('/')}`;
    const validate = this.#ajv.getSchema($ref);
    if (!validate) throw new Error(`no schema at ${$ref}`);
    const body = mediaType === 'application/json' ? parsed(text) : text;
    if (validate(body)) return undefined;
    return `${answer}: ${this.#ajv.errorsText(validate.errors)}`;
  }

  /** The operation that gave an answer, if the document has it. */
  operationIdOf({ method, path, status }: WireAnswer): string | undefined {
    return this.#operationOf(method, path, status)?.[1].operationId;
  }

  #operationOf(method: string, path: string, status: number): [string, Operation] | undefined {
    for (const [pattern, item] of this.#paths) {
      const expression = new RegExp(
        `^${pattern.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`,
      );
      // What another method than POST is told stands with the operation that takes POST.
      const name = status === 405 ? 'post' : method.toLowerCase().replace('head', 'get');
      const operation = item[name];
      if (expression.test(path) && operation)
        return [`/paths/${escaped(pattern)}/${name}`, operation];
    }
    return undefined;
  }
}

/** Hears every answer of servers in this process, until it is stopped. */
export function hearAnswers(): { readonly answers: WireAnswer[]; stop(): void } {
  const answers: WireAnswer[] = [];
  const hear = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    hearAnswer(request, response, (answer) => void answers.push(answer));
  };
  subscribe('http.server.request.start', hear);
  return { answers, stop: () => void unsubscribe('http.server.request.start', hear) };
}

function hearAnswer(
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
  then: (answer: WireAnswer) => void,
): void {
  const { writeHead, write, end } = response;
  const chunks: Buffer[] = [];
  let type = '';
  let isOver = false;
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const finish = () => {
    if (isOver || !response.headersSent) return;
    isOver = true;
    type ||= String(response.getHeader('content-type') ?? '');
    const [path = ''] = url.split('?');
    const text = Buffer.concat(chunks).toString();
    then({ method, path, status: response.statusCode, type, text });
  };
  // An endless answer is over when the connection is.
  response.once('close', finish);
  Object.assign(response, {
    writeHead(status: number, headers: Record<string, string> = {}) {
      type = headers['content-type'] ?? '';
      return Reflect.apply(writeHead, response, [status, headers]);
    },
    write(...given: unknown[]) {
      keep(given[0]);
      return Reflect.apply(write, response, given);
    },
    end(...given: unknown[]) {
      keep(given[0]);
      const ended = Reflect.apply(end, response, given);
      finish();
      return ended;
    },
  });
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function parametersIn(pattern: string): number {
  return pattern.split('{').length - 1;
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
