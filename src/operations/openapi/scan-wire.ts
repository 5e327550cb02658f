import * as z from 'zod';
import { REJECTION_REASONS, SCAN_STATUSES } from '../../core/outcome-names.ts';
import { HolderJson, TimeOrNull, windowOf } from '../../core/records.ts';

/** Sections 4.1 and 4.2. The scan endpoints themselves read and write by hand, because every gate waits for them. */
export const ScanBody = z
  .object({
    ticketCode: z.string().min(1).meta({ description: 'the complete code from the QR code' }),
  })
  .meta({ id: 'ScanBody' });

/** Section 2.3. */
export const ScanResult = z
  .object({
    valid: z.boolean(),
    status: z.enum(SCAN_STATUSES),
    message: z.string().meta({ description: 'for people, in English or German' }),
    reason: z.enum(REJECTION_REASONS).optional(),
    ticketId: z.string().optional(),
    ticketType: z.enum(['single', 'multi']).optional(),
    usesAllowed: z.number().int().optional(),
    usesConsumed: z.number().int().optional(),
    usesRemaining: z.number().int().optional(),
    holder: HolderJson.optional(),
    ...windowOf(TimeOrNull.optional()),
    scannedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'ScanResult' });

/** Sections 7.1 and 7.2: what is refused before there is a decision. */
export const ScanError = z.object({ message: z.string() }).meta({ id: 'ScanError' });

/** Section 4.5. */
export const Heartbeat = z
  .looseObject({ Key: z.union([z.string(), z.number()]).optional() })
  .meta({ id: 'Heartbeat' });
export const HeartbeatAnswer = z
  .object({
    Key: z
      .union([z.string(), z.number()])
      .meta({ description: 'as it was sent; a number with the same digits' }),
  })
  .meta({ id: 'HeartbeatAnswer' });
