import * as z from 'zod';
import { StoreDocument } from '../src/stores/json/document.ts';

/** docs/schemas/ticketscan-store.schema.json: what editors check the document of a `json:` store with while somebody edits it. */
export function storeSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(StoreDocument, { io: 'input' }), null, 2)}\n`;
}
