import type { Controller, Decision } from './controller.ts';
import type { Fault } from './controller-faults.ts';
import { boothUrl, deviceUrlOf, HONEST_BOOTH, HONEST_TURNSTILE, resultIn } from './file-devices.ts';
import type { Answer } from './http-post.ts';

/** What the honest turnstile would do, with one difference; undefined stays undefined. */
function turns(change: (decision: Decision, answer: Answer) => Partial<Decision>) {
  return (answer: Answer): Decision | undefined => {
    const decision = HONEST_TURNSTILE.decide(answer);
    return decision && { ...decision, ...change(decision, answer) };
  };
}

/** The honest body of a card, with other members. */
function card(change: (code: string, count: number) => object) {
  return (code: string, count: number) => ({
    ...(HONEST_TURNSTILE.card(code, count) as object),
    ...change(code, count),
  });
}

/** Control iD turnstiles with one fault each. */
export const TURNSTILE_FAULTS: readonly Fault<Controller>[] = [
  {
    does: 'turns on event 6, a denial',
    caughtBy: ['7.3/device-shut-on-denial'],
    change: {
      decide: turns((_decision, answer) => ({
        opens: [6, 7].includes(Number(resultIn(answer)?.event)),
      })),
    },
  },
  {
    does: 'turns on every event but a denial',
    caughtBy: ['4.6/device-opens-on-1-only'],
    change: {
      decide: turns((_decision, answer) => ({
        opens: resultIn(answer)?.event !== 6 && answer.status === 200,
      })),
    },
  },
  {
    does: 'turns on HTTP 500, whatever the answer says',
    caughtBy: ['7.1/device-shut-on-500'],
    change: { decide: turns(({ opens }, { status }) => ({ opens: opens || status === 500 })) },
  },
  {
    does: 'searches the answer for "event":7',
    caughtBy: ['4.3/device-malformed-answer'],
    change: {
      decide: ({ text, status }) => {
        const note = /"message":"([^"]*)"/.exec(text)?.[1] ?? '';
        const name = /"user_name":"([^"]*)"/.exec(text)?.[1] ?? '';
        const relay = /allow=(\w+)/.exec(text)?.[1] ?? '';
        if (!text.includes('"event"')) return undefined;
        return {
          opens: text.includes('"event":7') && status === 200,
          relay,
          seconds: 1,
          name,
          note,
        };
      },
    },
  },
  {
    does: 'posts the code twice',
    caughtBy: ['3.2/device-posts-once'],
    change: { repeats: (_answer, tries) => tries < 2 },
  },
  {
    does: 'says the code twice in one body',
    caughtBy: ['2.4/device-card-body'],
    change: {
      card: (code) =>
        `{"device_id":"935107","qrcode_value":"${code}","portal_id":1,"qrcode_value":"${code}"}`,
    },
  },
  {
    does: 'puts a prefix before the code',
    caughtBy: ['2.4/device-card-content'],
    change: { card: card((code) => ({ qrcode_value: `]Q3${code}` })) },
  },
  {
    does: 'posts to its path with a slash at its end',
    caughtBy: ['4.3/device-card-url'],
    change: { cardUrl: (setup) => `${deviceUrlOf(setup)}/new_qrcode.fcgi/` },
  },
  {
    does: 'sends cards with PUT',
    caughtBy: ['4.3/device-card-url'],
    change: { method: 'PUT' },
  },
  {
    does: 'leaves out the path with the key',
    caughtBy: ['4.3/device-card-url'],
    change: { cardUrl: ({ baseUrl }) => `${baseUrl}/new_qrcode.fcgi` },
  },
  {
    does: 'changes the key to lower case',
    caughtBy: ['5/device-key-in-query'],
    change: {
      cardUrl: ({ baseUrl, key }) => `${baseUrl}/devices/${key.toLowerCase()}/new_qrcode.fcgi`,
    },
  },
  {
    does: 'says the key in the query, too',
    caughtBy: ['5/device-key-in-query'],
    change: { cardUrl: (setup) => `${deviceUrlOf(setup)}/new_qrcode.fcgi?token=${setup.key}` },
  },
  {
    does: 'copies its address into a header',
    caughtBy: ['5/device-key-only-there'],
    change: { headers: (setup) => ({ referer: deviceUrlOf(setup) }) },
  },
  {
    does: 'has another serial after each card',
    caughtBy: ['2.4/device-serial'],
    change: { card: card((_code, count) => ({ device_id: `9351${count}` })) },
  },
  {
    does: 'counts cards in the number of its portal',
    caughtBy: ['2.4/device-reader'],
    change: { card: card((_code, count) => ({ portal_id: count })) },
  },
  {
    does: 'ignores the way in which it shall turn',
    caughtBy: ['2.4/device-relay-out'],
    change: { decide: turns(() => ({ relay: 'clockwise' })) },
  },
  {
    does: 'turns the wrong way',
    caughtBy: ['2.4/device-relay-in'],
    change: {
      decide: turns(({ relay }) => ({
        relay: relay === 'clockwise' ? 'anticlockwise' : 'clockwise',
      })),
    },
  },
  {
    does: 'shows a text of its own on a denial',
    caughtBy: ['7.3/device-shows-note'],
    change: { decide: turns(({ opens, note }) => ({ note: opens ? note : 'Negado' })) },
  },
  {
    does: 'reads UTF-8 as Latin-1',
    caughtBy: ['2.4/device-shows-name'],
    change: {
      decide: turns(({ name, note }) => ({
        name: Buffer.from(name).toString('latin1'),
        note: Buffer.from(note).toString('latin1'),
      })),
    },
  },
  {
    does: 'turns for a card that it knows, whatever is answered',
    caughtBy: ['4.6/device-asks-each-time'],
    change: { opensKnown: (answer) => typeof answer !== 'string' },
  },
  {
    does: 'follows a redirect with its key',
    caughtBy: ['5/device-redirect'],
    change: { followsRedirects: () => true },
  },
];

/** Booth readers with one fault each. */
export const BOOTH_FAULTS: readonly Fault<Controller>[] = [
  {
    does: 'asks with POST',
    caughtBy: ['4.3/device-card-url', '4.5/device-heart-url'],
    change: { method: 'POST' },
  },
  {
    does: 'sends its code under another name',
    caughtBy: ['2.4/device-card-body'],
    change: { cardUrl: (setup, qr) => boothUrl(setup, '/check', { qr, id: '935107', gate: '3' }) },
  },
  {
    does: 'sends heartbeats to another path',
    caughtBy: ['4.5/device-heart-url'],
    change: { heartUrl: (setup) => boothUrl(setup, '/x/alive', { id: '935107' }) },
  },
  {
    does: 'has another serial in heartbeats',
    caughtBy: ['4.5/device-heartbeat-serial'],
    change: { heartUrl: (setup) => boothUrl(setup, '/alive', { id: '1' }) },
  },
  {
    does: 'sends no heartbeats',
    caughtBy: ['4.5/device-sends-heartbeats'],
    change: { heartUrl: undefined },
  },
  {
    does: 'takes the answer to a heartbeat for none',
    caughtBy: ['4.5/device-accepts-echo'],
    change: { acceptsEcho: () => false },
  },
  {
    does: 'opens for the time of its own setting',
    caughtBy: ['2.4/device-open-time'],
    change: {
      decide: (answer) => {
        const decision = HONEST_BOOTH.decide(answer);
        return decision && { ...decision, seconds: 0.2 };
      },
    },
  },
  {
    does: 'opens on any text that has its status',
    caughtBy: ['7.3/device-shut-on-denial'],
    change: {
      decide: (answer) => ({
        relay: '1',
        seconds: 1,
        name: '',
        note: '',
        ...HONEST_BOOTH.decide(answer),
        opens: answer.isWhole && answer.status === 200,
      }),
    },
  },
  {
    does: 'opens on a text that it cannot read for a card that was admitted before',
    caughtBy: ['4.3/device-malformed-answer'],
    change: {
      opensKnown: (answer) =>
        typeof answer !== 'string' && answer.isWhole && !/^(OPEN|SHUT) /.test(answer.text),
    },
  },
  {
    does: 'stays shut for a card that was admitted before',
    caughtBy: ['4.6/device-opens-on-grant'],
    change: { refusesKnown: true },
  },
];
