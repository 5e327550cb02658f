import * as z from 'zod';
import type { RequestFilter, SeedOptions } from '../controls.ts';
import type { FaultRule } from '../faults/fault.ts';
import type { TestBench } from '../test-bench.ts';
import { parseOptions } from './parse-options.ts';
import {
  ClockMoveSchema,
  ClockStateSchema,
  FaultRuleSchema,
  FaultSchema,
  MadeTicketSchema,
  RecordedExchangeSchema,
  RequestFilterSchema,
  RestoreSchema,
  SampleSchema,
  SeedOptionsSchema,
  SnapshotSchema,
  TicketRequestSchema,
} from './wire.ts';

/** One control over HTTP. The server and its OpenAPI document are both made from the list of these. */
export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/_test`; `:id` is a parameter. */
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly query?: z.ZodObject;
  /** Absent where there is nothing to say: 204. */
  readonly answer?: z.ZodType;
  /** What the bench checks for callers of the library is not checked here as well. */
  readonly run: (bench: TestBench, options: Options) => Promise<unknown>;
}

interface Options {
  readonly body: unknown;
  readonly query: unknown;
  readonly id: string;
}

const SeededSchema = z.strictObject({ sample: SampleSchema.nullable() });
const FaultsSchema = z.strictObject({ faults: z.array(FaultSchema) });
const RequestsSchema = z.strictObject({ requests: z.array(RecordedExchangeSchema) });

export const CONTROL_ROUTES: readonly ControlRoute[] = [
  {
    method: 'POST',
    path: '/reset',
    summary:
      'Restore the initial data, clock, buckets, faults and recorded requests. With a seed: create a new sample.',
    body: SeedOptionsSchema.optional(),
    answer: SeededSchema,
    run: async (bench, { body }) => {
      await bench.reset(body as SeedOptions | undefined);
      return { sample: bench.sample };
    },
  },
  {
    method: 'GET',
    path: '/sample',
    summary: 'Keys and ticket codes of the sample; null if none was seeded.',
    answer: SeededSchema,
    run: async (bench) => ({ sample: bench.sample }),
  },
  {
    method: 'POST',
    path: '/snapshot',
    summary: 'Save data and clock.',
    answer: SnapshotSchema,
    run: (bench) => bench.snapshot(),
  },
  {
    method: 'POST',
    path: '/restore',
    summary: 'Restore data and clock of a snapshot, with full buckets.',
    body: RestoreSchema,
    run: (bench, { body }) => bench.restore(parseOptions(RestoreSchema, body)),
  },
  {
    method: 'GET',
    path: '/clock',
    summary: 'The time of the service.',
    answer: ClockStateSchema,
    run: (bench) => bench.clock(),
  },
  {
    method: 'POST',
    path: '/clock',
    summary: 'Set, advance, freeze or release the clock; windows, quota month and buckets follow.',
    body: ClockMoveSchema,
    answer: ClockStateSchema,
    run: (bench, { body }) => moveClock(bench, parseOptions(ClockMoveSchema, body)),
  },
  {
    method: 'GET',
    path: '/faults',
    summary: 'The active faults.',
    answer: FaultsSchema,
    run: async (bench) => ({ faults: await bench.faults() }),
  },
  {
    method: 'POST',
    path: '/faults',
    summary: 'Make requests fail from now on.',
    body: FaultRuleSchema,
    answer: FaultSchema,
    run: (bench, { body }) => bench.fail(body as FaultRule),
  },
  {
    method: 'DELETE',
    path: '/faults',
    summary: 'End all faults.',
    run: (bench) => bench.clearFaults(),
  },
  {
    method: 'DELETE',
    path: '/faults/:id',
    summary: 'End one fault.',
    run: (bench, { id }) => bench.clearFaults(id),
  },
  {
    method: 'GET',
    path: '/requests',
    summary: 'Requests and answers with their explanation, step by step; oldest first.',
    query: RequestFilterSchema,
    answer: RequestsSchema,
    run: async (bench, { query }) => {
      return { requests: await bench.requests(query as RequestFilter) };
    },
  },
  {
    method: 'POST',
    path: '/tickets',
    summary: 'Make a ticket.',
    body: TicketRequestSchema.optional(),
    answer: MadeTicketSchema,
    run: (bench, { body }) => bench.mint(parseOptions(TicketRequestSchema.optional(), body)),
  },
];

/** Where the controls are; no path of the service begins so. */
export const CONTROLS_PATH = '/_test';
/** Proves that the caller has the token of this run. A web page cannot send it elsewhere, and no proxy adds it. */
export const TOKEN_HEADER = 'x-test-token';
export const STREAM_PATH = '/requests/stream';
export const OPENAPI_PATH = '/openapi.json';

async function moveClock(
  bench: TestBench,
  { set, advance, freeze }: z.output<typeof ClockMoveSchema>,
): Promise<unknown> {
  // In one step: between setting and freezing the clock would run on.
  if (freeze && set !== undefined) return bench.freezeClock(set);
  if (freeze) await bench.freezeClock();
  if (set !== undefined) await bench.setClock(set);
  if (advance !== undefined) await bench.advance(advance);
  return freeze === false ? bench.resumeClock() : bench.clock();
}
