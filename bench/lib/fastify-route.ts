import Fastify, { type FastifyInstance } from 'fastify';

const number = { type: 'number' };
const string = { type: 'string' };
const body = {
  type: 'object',
  required: ['ticketCode'],
  properties: { ticketCode: { type: 'string', minLength: 1 } },
};
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

/** Serves both scan paths with Fastify's own parsing and serialising of a scan's body and answer; prints its address. */
export async function serveWithFastify(reply: () => Promise<unknown>): Promise<void> {
  const app: FastifyInstance = Fastify();
  for (const action of ['consume', 'validate']) {
    app.post(`/scan/${action}`, { schema: { body, response: { 200: answer } } }, reply);
  }
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  console.log(JSON.stringify({ url }));
  process.on('SIGTERM', () => process.exit(0));
}
