import * as z from 'zod';
import { REJECTION_REASONS, SCAN_STATUSES } from '../../core/outcome-names.ts';
import { TimeOrNull } from '../wire/common.ts';
import { Holder } from '../wire/tickets.ts';

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
    holder: Holder.optional(),
    validFrom: TimeOrNull.optional(),
    validUntil: TimeOrNull.optional(),
    scannedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'ScanResult' });

/** Sections 7.1 and 7.2: 401, 405, 422, 429 and 500. */
export const ScanError = z.object({ message: z.string() }).meta({ id: 'ScanError' });

/** Section 2.4, the documented model; two more models are known by their own bodies. */
export const DeviceScan = z
  .object({
    Card: z.string().meta({ description: 'the content of the QR code, Base64-encoded' }),
    Serial: z.union([z.string(), z.number()]).optional(),
    Reader: z.union([z.number(), z.string()]).optional(),
  })
  .meta({ id: 'DeviceScan' });

export const DeviceAnswer = z
  .object({
    AcsRes: z.enum(['0', '1']).meta({ description: '"1" is access granted' }),
    ActIndex: z.enum(['0', '1']).meta({ description: '"0" is IN, "1" is OUT' }),
    Time: z.string().meta({ description: 'seconds that the door opens; "0" on denial' }),
    Name: z.string().optional().meta({ description: 'at most 16 bytes' }),
    Note: z.string().meta({ description: 'at most 32 bytes' }),
  })
  .meta({ id: 'DeviceAnswer' });

export const Heartbeat = z
  .looseObject({ Key: z.union([z.string(), z.number()]).optional() })
  .meta({ id: 'Heartbeat' });
export const HeartbeatAnswer = z
  .object({
    Key: z
      .union([z.string(), z.number()])
      .meta({ description: 'as it was sent; a number in its own digits' }),
  })
  .meta({ id: 'HeartbeatAnswer' });
