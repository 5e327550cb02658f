import * as z from 'zod';
import {
  CheckUsageError,
  KEY_NAMES,
  type KeyName,
  NEVER_CONSUMABLE,
  TICKET_KINDS,
  type TicketKind,
} from '../deployment/target.ts';
import { ENDPOINTS, type Endpoint, isConsume } from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import { TAMPERINGS } from '../facts/tamper.ts';

/** The most requests that leave at once. */
export const REQUESTS_TOGETHER_MAX = 64;
const PAUSE_MS_MAX = 60_000;
const TIMES_MAX = 10_000;

/** Changes of a code that a service must notice, by their names in `TAMPERINGS`. */
export const FORGERIES = ['signature-middle-letter', 'signature-cut', 'signature-longer'] as const;
type Forgery = (typeof FORGERIES)[number];

/** How the requests of a group leave: each after the answer to the one before, all at once on a connection each, or all at once on one. */
const DISPATCHES = ['one-by-one', 'together', 'pipelined'] as const;
export type Dispatch = (typeof DISPATCHES)[number];

/** A connection that is opened and closed for each request, or one of three that stay open. */
export const CONNECTIONS = ['new', 'kept-1', 'kept-2', 'kept-3'] as const;
export type ConnectionName = (typeof CONNECTIONS)[number];

/** The n-th ticket of a kind that a history uses, from 0. Each run of the history puts another ticket there. */
export interface Slot {
  readonly kind: TicketKind;
  readonly place: number;
}

/** A key of the target, no key, or a value that no key has. */
export type KeyRef = KeyName | 'missing' | 'unknown';

/** One request, or the same one several times. */
export interface Step {
  readonly endpoint: Endpoint;
  readonly key: KeyRef;
  /** Absent for a heartbeat, and for a request without a code. */
  readonly ticket?: Slot;
  /** What is wrong with the code. */
  readonly forge?: Forgery;
  readonly times: number;
  /** The client closes the connection before the answer comes. */
  readonly abandon?: true;
  /** The repetitions are one request sent again: with one Idempotency-Key, or from one device. Only for a consume. */
  readonly retry?: true;
}

/** Steps that belong together: what the model judges as one. */
export interface Group {
  readonly steps: readonly Step[];
  readonly dispatch: Dispatch;
  /** `together` has a new connection for each request, also where this names one. */
  readonly over: ConnectionName;
  /** A pause before the first request. */
  readonly pauseMs?: number;
}

export type History = readonly Group[];

const FORMAT = 'ticketscan-history';
const VERSION = 1;

/** A saved history: keys and tickets by their place in a target, no secret. */
export interface SavedHistory {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  readonly seed: number;
  readonly rule: string;
  readonly section: string;
  readonly expected: string;
  readonly observed: string;
  /** The history in plain English; not read again. */
  readonly story: readonly string[];
  /** True when each run of it showed the fault; then one try is enough. */
  readonly isCertain: boolean;
  /** False when the fault never came back: then no run of it proves that the fault is gone. */
  readonly isReproduced: boolean;
  /** True when a rate limit refused a request of it; then a run without such a refusal proves nothing. */
  readonly isLimited: boolean;
  readonly groups: History;
}

const StepSchema = z.object({
  endpoint: z.enum(ENDPOINTS),
  key: z.enum([...KEY_NAMES, 'missing', 'unknown']),
  ticket: z
    .object({ kind: z.enum(TICKET_KINDS), place: z.int().min(0).max(TIMES_MAX) })
    .exactOptional(),
  forge: z.enum(FORGERIES).exactOptional(),
  times: z.int().min(1).max(TIMES_MAX),
  abandon: z.literal(true).exactOptional(),
  retry: z.literal(true).exactOptional(),
});
const GroupSchema = z
  .object({
    steps: z.array(StepSchema).min(1),
    dispatch: z.enum(DISPATCHES),
    over: z.enum(CONNECTIONS),
    pauseMs: z.int().min(1).max(PAUSE_MS_MAX).exactOptional(),
  })
  .refine(
    (group) => group.dispatch === 'one-by-one' || requestsOf(group) <= REQUESTS_TOGETHER_MAX,
    { error: `at most ${REQUESTS_TOGETHER_MAX} requests at once` },
  );
const SavedSchema: z.ZodType<SavedHistory> = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  seed: z.number().default(0),
  rule: z.string().default(''),
  section: z.string().default(''),
  expected: z.string().default(''),
  observed: z.string().default(''),
  story: z.array(z.string()).default([]),
  isCertain: z.boolean().default(false),
  isReproduced: z.boolean().default(true),
  isLimited: z.boolean().default(false),
  groups: z.array(GroupSchema).min(1),
});

/** What goes into the file. */
export function savedHistory(facts: Omit<SavedHistory, 'format' | 'version'>): SavedHistory {
  return { format: FORMAT, version: VERSION, ...facts };
}

/** Reads a saved history. @throws CheckUsageError naming what is wrong */
export function readSavedHistory(value: unknown): SavedHistory {
  if (!isRecord(value) || value['format'] !== FORMAT)
    throw new CheckUsageError(
      'It is not a history that `check explore` saved. Save one: ticketscan check explore URL --save FILE',
    );
  if (value['version'] !== VERSION)
    throw new CheckUsageError(
      `The file has version ${value['version']}; this program reads ${VERSION}.`,
    );
  const { error, data } = SavedSchema.safeParse(value);
  if (data) return data;
  const issue = error.issues[0];
  throw new CheckUsageError(
    `"${z.core.toDotPath(issue?.path ?? [])}" of the saved history is wrong: ${issue?.message}.`,
  );
}

/** A code with something wrong in it; one that has no such place gets letters behind its end. */
export function forged(code: string, forgery: Forgery): string {
  return tampering(forgery)?.spoil(code, code) ?? `${code}AAAA`;
}

/** What is wrong with a forged code, as the end of a phrase that begins with "a code". */
export function forgeryInWords(forgery: Forgery): string {
  return tampering(forgery)?.what ?? forgery;
}

function tampering(forgery: Forgery) {
  return TAMPERINGS.find(({ name }) => name === forgery);
}

/** Validates a ticket, so that its uses are known. @param keys those of the target: one for software or devices */
export function lookAt(ticket: Slot, keys: Partial<Record<KeyName, string>>): Group {
  const [endpoint, key] =
    keys.rest === undefined
      ? (['hw/validate', 'hardware'] as const)
      : (['validate', 'rest'] as const);
  return { steps: [{ endpoint, key, ticket, times: 1 }], dispatch: 'one-by-one', over: 'new' };
}

/** How many requests a group sends. */
export function requestsOf({ steps }: { readonly steps: readonly Step[] }): number {
  return steps.reduce((sum, { times }) => sum + times, 0);
}

/** How many requests a history sends. */
export function requestsIn(history: History): number {
  return requestsOf({ steps: stepsIn(history) });
}

/** Every step of a history. */
export function stepsIn(history: History): Step[] {
  return history.flatMap(({ steps }) => steps);
}

/** A name for a slot, to compare slots by: `multi#0`. */
export function slotName({ kind, place }: Slot): string {
  return `${kind}#${place}`;
}

/** Every slot that a history names, once, in the order in which it is first used. */
export function slotsIn(history: History): Slot[] {
  const slots = new Map<string, Slot>();
  for (const { ticket } of stepsIn(history)) if (ticket) slots.set(slotName(ticket), ticket);
  return [...slots.values()];
}

/** True for a step that may take a use of a ticket, on a faulty server at least: it needs consent. */
export function needsConsent({ endpoint, key, ticket, forge }: Omit<Step, 'times'>): boolean {
  if (!isConsume(endpoint) || !ticket) return false;
  const isRefused = forge !== undefined || !isGoodKey(key);
  return !(NEVER_CONSUMABLE as readonly TicketKind[]).includes(ticket.kind) || !isRefused;
}

/** True for a key that a right server accepts. */
function isGoodKey(key: KeyRef): boolean {
  return key === 'rest' || key === 'restScoped' || key === 'hardware' || key === 'hardwareScoped';
}
