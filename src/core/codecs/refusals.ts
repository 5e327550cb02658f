import * as z from 'zod';
import type { SeenRefusals } from '../refusal-counts.ts';
import { REFUSAL_REASONS, type RefusalReason } from '../refusal-reasons.ts';
import { Time, timesFromJson, timesToJson } from './time.ts';

const Occurrences = z.object({ times: z.number().int(), firstAt: Time, lastAt: Time });

const RefusalJson = Occurrences.extend({
  reason: z.enum(Object.keys(REFUSAL_REASONS) as RefusalReason[]),
  /** The prefix of a key, or the length of another text; null when none was sent. */
  key: z.string().nullable(),
  keyId: z.string().nullable(),
  serial: z.string().nullable(),
  /** Of the client. */
  address: z.string(),
  /** The path of the endpoint. */
  endpoint: z.string(),
}).meta({ id: 'Refusal' });

export const RefusalListJson = z.object({
  /** The latest first. */
  items: z.array(RefusalJson),
  /** More than are listed one by one; null when all are. */
  others: Occurrences.nullable(),
  /** Whether unknown and mistyped keys are among them: for an owner, while the store has one organisation. */
  unknownKeys: z.boolean(),
});
export type RefusalListJson = z.output<typeof RefusalListJson>;

export function refusalsToJson({ rows, others, unknownKeys }: SeenRefusals): RefusalListJson {
  return { items: rows.map(timesToJson), others: others && timesToJson(others), unknownKeys };
}

export function refusalsFromJson({ items, others, unknownKeys }: RefusalListJson): SeenRefusals {
  return { rows: items.map(timesFromJson), others: others && timesFromJson(others), unknownKeys };
}
