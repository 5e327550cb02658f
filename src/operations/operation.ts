import type * as z from 'zod';
import type { Role } from '../core/administrative-records.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A part of the input; `undefined` where an operation has none. */
type Part = z.ZodObject | undefined;
type Values<P extends Part> = P extends z.ZodObject ? z.output<P> : unknown;
type Sent<P extends Part> = P extends z.ZodObject ? z.input<P> : unknown;

/** Members that the sender may leave out, because they are optional or have a default. */
type Optional<P extends z.ZodObject> = {
  [Name in keyof z.input<P>]-?: undefined extends z.input<P>[Name] ? Name : never;
}[keyof z.input<P>] &
  keyof z.output<P>;
type Given<P extends Part> = P extends z.ZodObject
  ? Omit<z.output<P>, Optional<P>> & { [Name in Optional<P>]?: z.output<P>[Name] | undefined }
  : unknown;

/** A value that is never changed in place. */
export type Frozen<Value> = Value extends object
  ? { readonly [Member in keyof Value]: Frozen<Value[Member]> }
  : Value;

/**
 * One action of a person, a script or the page on a store, described once. The HTTP route with its access and its OpenAPI entry, the call
 * on an open store, the call on a server (`--url`) and the typed call of the page are all derived from it. Routes whose body or answer is
 * a file or a stream, and routes that set cookies, are written by hand.
 */
export interface Operation<
  Http extends string = string,
  Params extends Part = Part,
  Query extends Part = Part,
  Body extends Part = Part,
  Answer extends z.ZodType = z.ZodType,
  Context = never,
> {
  /** `operationId` in the OpenAPI document. */
  readonly id: string;
  /** Method and path, such as `PATCH /keys/:id`; the page calls it by this text. */
  readonly http: Http & `${Method} /${string}`;
  /** The heading in the OpenAPI document. */
  readonly tag: string;
  /** The lowest role that may call it. */
  readonly role: Role;
  readonly summary: string;
  readonly description?: string;
  /** The members of the path. */
  readonly params?: Params;
  readonly query?: Query;
  /** The members of the JSON body. */
  readonly body?: Body;
  readonly answer: Answer;
  /** The status of a success; 200 by default. */
  readonly status?: 201;
  /** Answers besides the usual ones, by status. */
  readonly refusals?: Readonly<Record<number, z.ZodType>>;
  /** True if access tokens may not call it. */
  readonly sessionOnly?: true;
  /** The share of the server that it uses (see `fair-shares`); by default that of short requests. */
  readonly share?: 'changes' | 'statistics' | 'exports' | 'uploads' | 'scans';
  /** The longest body, if it may be longer than the usual 64 KiB. */
  readonly bodyBytesMax?: number;
  run(
    context: Context,
    input: Values<Params> & Values<Query> & Values<Body>,
  ): Promise<Frozen<z.output<Answer>>>;
}

/** Returns a function that makes operations with this context. It infers the types of input and answer from the schemas. */
export function operationsOn<Context>() {
  return <
    const Http extends string,
    Params extends Part = undefined,
    Query extends Part = undefined,
    Body extends Part = undefined,
    Answer extends z.ZodType = z.ZodType,
  >(
    definition: Operation<Http, Params, Query, Body, Answer, Context>,
  ) => definition;
}

/** The input of a caller in the program; times are milliseconds since 1970 UTC. */
export type InputOf<Op> =
  Op extends Operation<string, infer Params, infer Query, infer Body>
    ? Given<Params> & Given<Query> & Given<Body>
    : never;

/** The answer for a caller in the program. */
export type AnswerOf<Op> =
  Op extends Operation<string, Part, Part, Part, infer Answer> ? z.output<Answer> : never;

/** The input as JSON, for the page. */
export type InputJson<Op> =
  Op extends Operation<string, infer Params, infer Query, infer Body>
    ? Sent<Params> & Sent<Query> & Sent<Body>
    : never;
export type AnswerJson<Op> =
  Op extends Operation<string, Part, Part, Part, infer Answer> ? z.input<Answer> : never;

/** Runs an operation on an open store or on a server; callers do not know which. */
export type Call = <Op extends Operation>(
  operation: Op,
  input: InputOf<Op>,
) => Promise<AnswerOf<Op>>;

/** Method and path of an operation. */
export function methodAndPath(http: string): { readonly method: Method; readonly path: string } {
  const [method, path] = http.split(' ');
  return { method: method as Method, path: path as string };
}

/** The path prefix of the administration. */
export const ADMIN_PREFIX = '/admin/v1';

/** `__Host-`: browsers take it from this host only, over TLS (or loopback), for every path (ADR 0050). */
export const SESSION_COOKIE = '__Host-ticketscan';

/** The same for a page over plain HTTP on loopback: WebKit keeps no Secure cookie there. */
export const LOOPBACK_COOKIE = 'ticketscan';
