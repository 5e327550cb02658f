import { device, parsed, reply, rest, status, type Twin, without } from './twin.ts';

const noted = (from: string, to: string) =>
  device((body) => (body['Note'] === from ? { ...body, Note: to } : body));
const coerced = (value: unknown) => (value === undefined ? undefined : String(value));

export const ERROR_TWINS: readonly Twin[] = [
  {
    name: 'exhausted-409',
    section: '7.1',
    fault: 'answers 409 to an exhausted ticket',
    alter: status((outcome) => (outcome.status === 'exhausted' ? 409 : undefined)),
  },
  {
    name: 'cancelled-410',
    section: '7.1',
    fault: 'answers 410 to a cancelled ticket',
    alter: status(({ reason }, side) =>
      reason === 'ticket_cancelled' && side === 'rest' ? 410 : undefined,
    ),
  },
  {
    name: 'expired-403',
    section: '7.1',
    fault: 'answers 403 to an expired ticket',
    alter: status(({ reason }) => (reason === 'expired' ? 403 : undefined)),
  },
  {
    name: 'not-yet-valid-425',
    section: '7.1',
    fault: 'answers 425 to a ticket that is not valid yet',
    alter: status(({ reason }) => (reason === 'not_yet_valid' ? 425 : undefined)),
  },
  {
    name: 'grant-202',
    section: '7.1',
    fault: 'answers 202 to a device that may open',
    alter: status((outcome, side) =>
      side === 'hardware' && outcome.status === 'validated' ? 202 : undefined,
    ),
  },
  {
    name: 'limited-at-random',
    section: '7.1',
    fault: 'limits every 40th request',
    alter: () => {
      let count = 0;
      return {
        withinLimit() {
          count += 1;
          return count % 40 !== 0;
        },
      };
    },
  },
  {
    name: 'unknown-200',
    section: '7.1',
    fault: 'answers 200 to an unknown ticket',
    alter: status((outcome) => (outcome.status === 'not_found' ? 200 : undefined)),
  },
  {
    name: 'unknown-500',
    section: '7.1',
    fault: 'throws when a ticket does not exist',
    alter: (parts) => ({
      find(id) {
        const ticket = parts.find(id);
        if (!ticket) throw new TypeError('ticket is undefined');
        return ticket;
      },
    }),
  },
  {
    name: 'bad-json-500',
    section: '7.1',
    fault: 'throws at a body that is not JSON',
    alter: (parts) => ({
      readCode(incoming, action) {
        JSON.parse(incoming.body.toString('utf8'));
        return parts.readCode(incoming, action);
      },
    }),
  },
  {
    name: 'empty-body-taken',
    section: '7.1',
    fault: 'takes an empty body for an empty scan',
    alter: (parts) => ({
      readCode: (incoming, action) =>
        incoming.body.length === 0 ? 'nothing' : parts.readCode(incoming, action),
    }),
  },
  {
    name: 'null-body-crashes',
    section: '7.1',
    fault: 'throws at the JSON value null',
    alter: (parts) => ({
      readCode(incoming, action) {
        if (incoming.body.toString() === 'null') throw new TypeError('null');
        return parts.readCode(incoming, action);
      },
    }),
  },
  {
    name: 'code-coerced',
    section: '7.1',
    fault: 'coerces ticketCode to a text',
    alter: () => ({ readCode: ({ body }) => coerced(parsed(body)?.['ticketCode']) || undefined }),
  },
  {
    name: 'number-coerced-on-consume',
    section: '7.1',
    fault: 'coerces numbers on consume',
    alter: (parts) => ({
      readCode(incoming, action) {
        const code = parsed(incoming.body)?.['ticketCode'];
        return action === 'consume' && typeof code === 'number'
          ? String(code)
          : parts.readCode(incoming, action);
      },
    }),
  },
  {
    name: 'empty-code-taken',
    section: '7.1',
    fault: 'verifies an empty ticketCode',
    alter: (parts) => ({
      readCode: (incoming, action) =>
        parsed(incoming.body)?.['ticketCode'] === '' ? 'empty' : parts.readCode(incoming, action),
    }),
  },
  {
    name: 'lenient-json',
    section: '7.1',
    fault: 'repairs broken JSON',
    alter: () => ({
      readCode: ({ body }) => {
        const text = body.toString('utf8').replaceAll("'", '"').replace(/,\s*}/, '}');
        const object = parsed(Buffer.from(text)) ?? parsed(Buffer.from(`${text}}`));
        const code = object?.['ticketCode'];
        return typeof code === 'string' && code !== '' ? code : undefined;
      },
    }),
  },
  {
    name: 'text-after-json-ignored',
    section: '7.1',
    fault: 'stops reading at the end of the JSON object',
    alter: (parts) => ({
      readCode: (incoming, action) =>
        parts.readCode(
          {
            ...incoming,
            body: Buffer.from(incoming.body.toString('utf8').replace(/}[^}]*$/, '}')),
          },
          action,
        ),
    }),
  },
  {
    name: 'array-taken',
    section: '7.1',
    fault: 'takes the first of an array of codes',
    alter: (parts) => ({
      readCode(incoming, action) {
        const body: unknown = parsed(incoming.body);
        return Array.isArray(body) ? String(body[0]) : parts.readCode(incoming, action);
      },
    }),
  },
  {
    name: 'text-taken',
    section: '7.1',
    fault: 'takes a JSON text or number as the code',
    alter: (parts) => ({
      readCode(incoming, action) {
        const body: unknown = parsed(incoming.body);
        return typeof body === 'string' || typeof body === 'number'
          ? String(body)
          : parts.readCode(incoming, action);
      },
    }),
  },
  {
    name: 'form-taken',
    section: '7.1',
    fault: 'takes forms as well',
    alter: (parts) => ({
      readCode: (incoming, action) =>
        parts.readCode(incoming, action) ??
        new URLSearchParams(incoming.body.toString('utf8')).get('ticketCode') ??
        undefined,
    }),
  },
  {
    name: 'member-without-case',
    section: '7.1',
    fault: 'takes ticketcode and code as well',
    alter: (parts) => ({
      readCode(incoming, action) {
        const object = parsed(incoming.body);
        return (
          parts.readCode(incoming, action) ?? coerced(object?.['ticketcode'] ?? object?.['code'])
        );
      },
    }),
  },
  {
    name: 'bad-body-422',
    section: '7.1',
    fault: 'answers 422 to a bad body',
    alter: (parts) => ({
      badRequest: (side) => ({
        ...parts.badRequest(side),
        ...(side === 'rest' ? { status: 422 } : {}),
      }),
    }),
  },
  {
    name: 'bad-body-of-the-framework',
    section: '7.2',
    fault: "answers a bad body in the framework's format",
    alter: (parts) => ({
      badRequest: (side) =>
        side === 'rest'
          ? {
              ...parts.badRequest(side),
              body: { statusCode: 400, error: 'Bad Request', message: 'body must be object' },
            }
          : parts.badRequest(side),
    }),
  },
  {
    name: 'bad-body-without-reason',
    section: '7.2',
    fault: 'leaves the reason out of a 400',
    alter: reply((answer, path) =>
      answer.status === 400 && !path.includes('/hw/')
        ? { ...answer, body: without(answer.body as Record<string, unknown>, 'reason') }
        : answer,
    ),
  },
  {
    name: 'unauthorised-text',
    section: '7.2',
    fault: 'says Unauthorized on a 401',
    alter: reply((answer) =>
      answer.status === 401 ? { ...answer, body: { message: 'Unauthorized' } } : answer,
    ),
  },
  {
    name: 'unauthorised-with-more',
    section: '7.2',
    fault: 'adds a code to the 401 body',
    alter: reply((answer) =>
      answer.status === 401
        ? { ...answer, body: { message: 'Forbidden', code: 'AUTH-1' } }
        : answer,
    ),
  },
  {
    name: 'unauthorised-empty',
    section: '7.2',
    fault: 'answers 401 without a body',
    alter: reply((answer, path) =>
      answer.status === 401 && !path.includes('/hw/') ? { ...answer, body: '' } : answer,
    ),
  },
  {
    name: 'unknown-key-told',
    section: '7.2',
    fault: 'tells that a key is unknown',
    alter: (parts) => ({
      finish: (answer, incoming) =>
        answer.status === 401 && incoming.request.headers['x-api-key']
          ? { ...answer, body: { message: 'Unknown API key' } }
          : parts.finish(answer, incoming),
    }),
  },
  {
    name: 'deleted-key-told',
    section: '7.2',
    fault: 'tells that a key was deleted',
    alter: (_, world) => ({
      finish: (answer, incoming) =>
        world.deletedKeys.has(String(incoming.request.headers['x-api-key']))
          ? { ...answer, body: { message: 'Forbidden', deleted: true } }
          : answer,
    }),
  },
  {
    name: 'scope-tells-the-ticket',
    section: '7.2',
    fault: 'shows the ticket in a scope violation',
    alter: rest((body) =>
      body['reason'] === 'event_not_allowed'
        ? { ...body, ticketId: 'tkt_other', ticketType: 'single' }
        : body,
    ),
  },
  {
    name: 'not-found-tells-the-id',
    section: '7.2',
    fault: 'shows the identifier of a ticket that does not exist',
    alter: rest((body) =>
      body['status'] === 'not_found' ? { ...body, ticketId: 'tkt_unknown' } : body,
    ),
  },
  {
    name: 'missing-code-tells-counters',
    section: '7.2',
    fault: 'serialises an empty ticket into a 400',
    alter: (parts) => ({
      badRequest: (side) => {
        const right = parts.badRequest(side);
        return side === 'rest'
          ? { ...right, body: { ...(right.body as object), usesAllowed: 0, usesRemaining: 0 } }
          : right;
      },
    }),
  },
  {
    name: 'scope-without-valid',
    section: '7.2',
    fault: 'leaves valid out of a 403',
    alter: rest((body) => (body['reason'] === 'event_not_allowed' ? without(body, 'valid') : body)),
  },
  {
    name: 'not-found-of-the-framework',
    section: '7.2',
    fault: "answers 404 in the framework's format",
    alter: rest((body) =>
      body['status'] === 'not_found'
        ? { statusCode: 404, error: 'Not Found', message: 'Not Found' }
        : body,
    ),
  },
  {
    name: 'note-without-umlaut',
    section: '7.3',
    fault: 'loses the umlaut of `erschöpft`',
    alter: noted('Ticket erschöpft', 'Ticket erschopft'),
  },
  {
    name: 'note-with-ue',
    section: '7.3',
    fault: 'writes `gueltig`',
    alter: device((body) => ({
      ...body,
      Note: String(body['Note']).replace('ü', 'ue').replace('Ü', 'Ue'),
    })),
  },
  {
    name: 'note-decomposed',
    section: '7.3',
    fault: 'sends umlauts as two characters',
    alter: device((body) => ({ ...body, Note: String(body['Note']).normalize('NFD') })),
  },
  {
    name: 'note-in-latin-1',
    section: '7.3',
    fault: 'sends Latin-1 instead of UTF-8',
    write(response, answer) {
      const bytes = Buffer.from(JSON.stringify(answer.body), 'latin1');
      response.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length });
      response.end(bytes);
    },
  },
  {
    name: 'note-expired',
    section: '7.3',
    fault: 'puts a full stop after `Ticket abgelaufen`',
    alter: noted('Ticket abgelaufen', 'Ticket abgelaufen.'),
  },
  {
    name: 'note-not-found',
    section: '7.3',
    fault: 'shows the text of an invalid ticket for an unknown one',
    alter: noted('Ticket nicht gefunden', 'Ungültiges Ticket'),
  },
  {
    name: 'note-not-yet-valid',
    section: '7.3',
    fault: 'shows the text of an expired ticket for one that is not valid yet',
    alter: noted('Noch nicht gültig', 'Ticket abgelaufen'),
  },
  {
    name: 'note-scope-in-english',
    section: '7.3',
    fault: 'says `No access` for a scope violation',
    alter: noted('Kein Zugriff', 'No access'),
  },
  {
    name: 'note-swapped',
    section: '7.3',
    fault: 'swaps the numbers of the granted Note',
    alter: device((body) => ({
      ...body,
      Note: String(body['Note']).replace(/\((\d+)\/(\d+)\)/, '($2/$1)'),
    })),
  },
  {
    name: 'note-remaining',
    section: '7.3',
    fault: 'shows the remaining uses in Note',
    alter: device((body, { ticket }) =>
      body['AcsRes'] === '1' && ticket
        ? {
            ...body,
            Note: `Ticket gültig (${ticket.usesAllowed - ticket.usesConsumed}/${ticket.usesAllowed})`,
          }
        : body,
    ),
  },
  {
    name: 'note-one-ahead-on-validate',
    section: '7.3',
    fault: 'counts a use in Note that was not made',
    alter: device((body, { ticket }, action) =>
      body['AcsRes'] === '1' && ticket && action === 'validate'
        ? { ...body, Note: `Ticket gültig (${ticket.usesConsumed + 1}/${ticket.usesAllowed})` }
        : body,
    ),
  },
  {
    name: 'note-one-behind-on-consume',
    section: '7.3',
    fault: 'shows the uses of before the scan in Note',
    alter: device((body, { ticket }, action) =>
      body['AcsRes'] === '1' && ticket && action === 'consume'
        ? { ...body, Note: `Ticket gültig (${ticket.usesConsumed - 1}/${ticket.usesAllowed})` }
        : body,
    ),
  },
  {
    name: 'note-infinite',
    section: '7.3',
    fault: 'shows ∞ for permanent cards',
    alter: device((body) => ({ ...body, Note: String(body['Note']).replace('9999', '∞') })),
  },
  {
    name: 'note-with-separator',
    section: '7.3',
    fault: 'writes numbers with a separator',
    alter: device((body) => ({ ...body, Note: String(body['Note']).replace('9999', '9.999') })),
  },
];
