import { reply, rest, type Twin } from './twin.ts';

export const PURPOSE_TWINS: readonly Twin[] = [
  {
    name: 'email-in-holder',
    section: '1',
    fault: "shows the holder's e-mail address",
    alter: rest((body, { ticket }) =>
      ticket?.holder && body['holder']
        ? { ...body, holder: { ...ticket.holder, contact: 'zoe@example.org' } }
        : body,
    ),
  },
  {
    name: 'email-in-message',
    section: '1',
    fault: 'greets by e-mail address',
    alter: rest((body) =>
      body['holder'] ? { ...body, message: 'Welcome zoe.g+pool@example.org' } : body,
    ),
  },
  {
    name: 'empty-email-field',
    section: '1',
    fault: 'has a field for the e-mail address',
    alter: rest((body) => (body['ticketId'] ? { ...body, buyerEmail: null } : body)),
  },
  {
    name: 'key-shown',
    section: '5',
    fault: 'shows the key of the request in a grant',
    alter: (parts) => ({
      finish(answer, incoming) {
        const reply = parts.finish(answer, incoming);
        const body = reply.body as Record<string, unknown>;
        if (body['valid'] !== true && body['AcsRes'] !== '1') return reply;
        const key = incoming.query.get('key') ?? String(incoming.request.headers['x-api-key']);
        const shown = body['Note'] ? { Name: key.slice(-16) } : { message: `Hello ${key}` };
        return { ...reply, body: { ...body, ...shown } };
      },
    }),
  },
  {
    name: 'price',
    section: '1',
    fault: 'shows what the ticket cost',
    alter: rest((body) => (body['ticketId'] ? { ...body, priceCents: 1250 } : body)),
  },
  {
    name: 'order-with-payment',
    section: '1',
    fault: 'shows the order with its payment',
    alter: rest((body) =>
      body['ticketId']
        ? { ...body, order: { no: 'A17', lines: [{ paymentMethod: 'card' }] } }
        : body,
    ),
  },
  {
    name: 'html-content-type',
    section: '1',
    fault: 'announces its JSON as HTML',
    alter: reply((answer) => ({ ...answer, headers: { 'content-type': 'text/html' } })),
  },
  {
    name: 'no-content-type',
    section: '1',
    fault: 'does not say what its answers are',
    alter: reply((answer) => ({ ...answer, headers: {} })),
  },
  {
    name: 'latin-1',
    section: '1',
    fault: 'sends JSON in Latin-1 on REST',
    write(response, answer) {
      const encoding = response.req.url?.includes('/hw/') ? 'utf8' : 'latin1';
      const bytes = Buffer.from(JSON.stringify(answer.body), encoding);
      response.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length });
      response.end(bytes);
    },
  },
  {
    name: 'plain-text-refusals',
    section: '1',
    fault: 'announces only its 404 as plain text',
    alter: reply((answer) =>
      answer.status === 404 ? { ...answer, headers: { 'content-type': 'text/plain' } } : answer,
    ),
  },
];
