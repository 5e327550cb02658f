import { pathOf, requestLine } from '../../kit/http1.ts';
import type { FileDevices, Meaning } from '../device-files/senders.ts';
import type { StoredExchange } from '../recording.ts';
import { type Field, fieldsOf, looksLike } from './fields.ts';

/** One field of a kind of request over all requests seen. */
export interface FieldReport {
  readonly place: Field['place'];
  readonly name: string;
  readonly type: string;
  readonly example: string;
  readonly looksLike: string;
  /** How it changes from one request to the next; undefined after a single one. */
  readonly changes: 'constant' | 'grows' | 'varies' | undefined;
}

/** Requests of one sender with the same path and the same fields. */
export interface RequestKind {
  readonly model: string;
  readonly method: string;
  readonly path: string;
  readonly requests: number;
  readonly fields: readonly FieldReport[];
}

interface FieldHistory extends Field {
  isConstant: boolean;
  grows: boolean;
  last: string;
}

interface KindHistory {
  readonly model: string;
  readonly method: string;
  readonly path: string;
  readonly fields: FieldHistory[];
  readonly meaning: Meaning | undefined;
  requests: number;
}

/** Collects the kinds of request and their fields from all exchanges. */
export class RequestKinds {
  readonly #kinds = new Map<string, KindHistory>();
  readonly #devices: FileDevices | undefined;

  /** @param devices whose files say what fields mean */
  constructor(devices?: FileDevices) {
    this.#devices = devices;
  }

  /** @returns the kind of the request when it is the first of that kind */
  observe({ model, request }: StoredExchange): RequestKind | undefined {
    const { method = '?', target = '?' } = requestLine(request.head) ?? {};
    const path = pathOf(target);
    const fields = fieldsOf(request);
    const names = fields.map(({ place, name }) => `${place} ${name}`).sort();
    const id = JSON.stringify([model, method, path, names]);
    const known = this.#kinds.get(id);
    if (known) {
      continueHistory(known, fields);
      return undefined;
    }
    const histories = fields.map((field) => ({
      ...field,
      isConstant: true,
      grows: true,
      last: field.value,
    }));
    const meaning = this.#devices?.meaningIn(request);
    const kind = { model, method, path, fields: histories, requests: 1, meaning };
    this.#kinds.set(id, kind);
    return report(kind);
  }

  /** Every kind, in the order of its first request. */
  all(): RequestKind[] {
    return [...this.#kinds.values()].map(report);
  }
}

function continueHistory(kind: KindHistory, fields: readonly Field[]): void {
  kind.requests += 1;
  for (const field of fields) {
    const history = kind.fields.find(
      ({ place, name }) => place === field.place && name === field.name,
    );
    if (!history) continue;
    if (field.value !== history.last) history.isConstant = false;
    if (!(Number(field.value) > Number(history.last))) history.grows = false;
    history.last = field.value;
  }
}

function report({ model, method, path, requests, fields, meaning }: KindHistory): RequestKind {
  return {
    model,
    method,
    path,
    requests,
    fields: fields.map((field) => {
      const guess = reportField(field, requests);
      return { ...guess, looksLike: meaning?.(field) ?? guess.looksLike };
    }),
  };
}

function reportField(
  { place, name, type, value, isConstant, grows }: FieldHistory,
  requests: number,
): FieldReport {
  const steady = isConstant ? 'constant' : grows ? 'grows' : 'varies';
  const changes = requests < 2 ? undefined : steady;
  return { place, name, type, example: value, looksLike: looksLike(value, name), changes };
}
