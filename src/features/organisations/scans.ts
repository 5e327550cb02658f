import * as z from 'zod';
import { LastUse } from '../log/last-use.ts';

export const LastUseOfTicket = z
  .object({ lastUse: LastUse.nullable() })
  .meta({ id: 'LastUseOfTicket' });
