import Fastify from 'fastify';
import { SAMPLE_ANSWER } from './sample-answer.ts';

/** The reference: Fastify's own parsing and serialising of the same body and answer, and nothing in between. */
const app = Fastify();
const body = {
  type: 'object',
  required: ['ticketCode'],
  properties: { ticketCode: { type: 'string', minLength: 1 } },
};
const number = { type: 'number' };
const string = { type: 'string' };
const answer = {
  type: 'object',
  properties: {
    valid: { type: 'boolean' },
    status: string,
    message: string,
    ticketId: string,
    ticketType: string,
    usesAllowed: number,
    usesConsumed: number,
    usesRemaining: number,
    validFrom: { type: ['string', 'null'] },
    validUntil: { type: ['string', 'null'] },
    scannedAt: string,
  },
};
app.post(
  '/scan/consume',
  { schema: { body, response: { 200: answer } } },
  async () => SAMPLE_ANSWER,
);
const url = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ url }));
process.on('SIGTERM', () => process.exit(0));
