import * as z from 'zod';
import { TicketscanError } from '../core/errors.ts';
import type { OperationContext } from './context.ts';
import { type Call, methodAndPath, type Operation } from './operation.ts';

type Members = Readonly<Record<string, unknown>>;

/** Calls on a store that is open here. Members with a default may be left out, as at a server. */
export function callOn(context: Omit<OperationContext, 'afterwards'>): Call {
  const call = async (operation: Operation, input: Members) => {
    const parts = [operation.params, operation.query, operation.body];
    const defaults = parts.flatMap((part) => (part ? [defaultsOf(part)] : []));
    const given = Object.entries(input).filter(([, value]) => value !== undefined);
    const whole = Object.assign({}, ...defaults, Object.fromEntries(given));
    const begun: Promise<unknown>[] = [];
    const afterwards = (work: Promise<unknown>) => void begun.push(work);
    const answer = await operation.run({ ...context, afterwards }, whole);
    await Promise.all(begun);
    return answer;
  };
  return call as Call;
}

function defaultsOf(part: z.ZodObject): Members {
  const members = Object.entries(part.shape).flatMap(([name, schema]) => {
    const read = z.safeParse(schema, undefined);
    return read.success && read.data !== undefined ? [[name, read.data]] : [];
  });
  return Object.fromEntries(members);
}

/** A request to the admin API. */
export interface OperationRequest {
  readonly method: ReturnType<typeof methodAndPath>['method'];
  /** With its query. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
}

/** Calls at a server. @param send sends a request and reads the answer with a schema */
export function callAt(
  send: <Answer extends z.ZodType>(
    request: OperationRequest,
    answer: Answer,
  ) => Promise<z.output<Answer>>,
): Call {
  const call = async (operation: Operation, input: Members) =>
    send(requestOf(operation, input), operation.answer);
  return call as Call;
}

function requestOf({ http, params, query, body }: Operation, input: Members): OperationRequest {
  const { method, path } = methodAndPath(http);
  const inPath = encoded(params, input);
  const named = path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(inPath[name])));
  const asked = Object.entries(encoded(query, input)).map(([name, value]) => [name, String(value)]);
  const text = new URLSearchParams(asked).toString();
  return {
    method,
    path: text === '' ? named : `${named}?${text}`,
    ...(method !== 'GET' && method !== 'DELETE' && { body: JSON.stringify(encoded(body, input)) }),
  };
}

/** The members of a part that are given, as they are sent. @throws TicketscanError `usage` for a value that a server would refuse */
function encoded(part: z.ZodObject | undefined, input: Members): Members {
  const members = Object.entries(part?.shape ?? {}).flatMap(([name, schema]) => {
    if (input[name] === undefined) return [];
    const { data, error } = z.safeEncode(schema, input[name]);
    if (error) throw new TicketscanError('usage', `${name}: ${error.issues[0]?.message}`);
    return [[name, data]];
  });
  return Object.fromEntries(members);
}
