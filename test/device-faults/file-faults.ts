import type { Controller, Decision } from './controller.ts';
import { type Fault, faultsBy } from './fault.ts';
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
export const TURNSTILE_FAULTS: readonly Fault<Controller>[] = faultsBy<Controller>({
  '7.3/device-shut-on-denial': {
    'turns on event 6, a denial': {
      decide: turns((_decision, answer) => ({
        opens: [6, 7].includes(Number(resultIn(answer)?.event)),
      })),
    },
  },
  '4.6/device-opens-on-1-only': {
    'turns on every event but a denial': {
      decide: turns((_decision, answer) => ({
        opens: resultIn(answer)?.event !== 6 && answer.status === 200,
      })),
    },
  },
  '7.1/device-shut-on-500': {
    'turns on HTTP 500, whatever the answer says': {
      decide: turns(({ opens }, { status }) => ({ opens: opens || status === 500 })),
    },
  },
  '4.3/device-malformed-answer, 4.3/device-any-json': {
    'searches the answer for "event":7': {
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
  '3.2/device-posts-once': {
    'posts the code twice': { repeats: (_answer, tries) => tries < 2 },
  },
  '2.4/device-card-body': {
    'says the code twice in one body': {
      card: (code) =>
        `{"device_id":"935107","qrcode_value":"${code}","portal_id":1,"qrcode_value":"${code}"}`,
    },
  },
  '2.4/device-card-content': {
    'puts a prefix before the code': { card: card((code) => ({ qrcode_value: `]Q3${code}` })) },
  },
  '4.3/device-card-url': {
    'posts to its path with a slash at its end': {
      cardUrl: (setup) => `${deviceUrlOf(setup)}/new_qrcode.fcgi/`,
    },
    'sends cards with PUT': { method: 'PUT' },
    'leaves out the path with the key': {
      cardUrl: ({ baseUrl }) => `${baseUrl}/new_qrcode.fcgi`,
    },
  },
  '5/device-key-in-query': {
    'changes the key to lower case': {
      cardUrl: ({ baseUrl, key }) => `${baseUrl}/devices/${key.toLowerCase()}/new_qrcode.fcgi`,
    },
    'says the key in the query, too': {
      cardUrl: (setup) => `${deviceUrlOf(setup)}/new_qrcode.fcgi?token=${setup.key}`,
    },
  },
  '5/device-key-only-there': {
    'copies its address into a header': { headers: (setup) => ({ referer: deviceUrlOf(setup) }) },
  },
  '2.4/device-serial': {
    'has another serial after each card': {
      card: card((_code, count) => ({ device_id: `9351${count}` })),
    },
  },
  '2.4/device-reader': {
    'counts cards in the number of its portal': {
      card: card((_code, count) => ({ portal_id: count })),
    },
  },
  '2.4/device-relay-out': {
    'ignores the way in which it shall turn': { decide: turns(() => ({ relay: 'clockwise' })) },
  },
  '2.4/device-relay-in': {
    'turns the wrong way': {
      decide: turns(({ relay }) => ({
        relay: relay === 'clockwise' ? 'anticlockwise' : 'clockwise',
      })),
    },
  },
  '7.3/device-shows-note': {
    'shows a text of its own on a denial': {
      decide: turns(({ opens, note }) => ({ note: opens ? note : 'Negado' })),
    },
  },
  '2.4/device-shows-name': {
    'reads UTF-8 as Latin-1': {
      decide: turns(({ name, note }) => ({
        name: Buffer.from(name).toString('latin1'),
        note: Buffer.from(note).toString('latin1'),
      })),
    },
  },
  '4.6/device-asks-each-time': {
    'turns for a card that it knows, whatever is answered': {
      opensKnown: (answer) => typeof answer !== 'string',
    },
  },
  '5/device-redirect': {
    'follows a redirect with its key': { followsRedirects: () => true },
  },
});

/** Booth readers with one fault each. */
export const BOOTH_FAULTS: readonly Fault<Controller>[] = faultsBy<Controller>({
  '4.3/device-card-url, 4.5/device-heart-url': {
    'asks with POST': { method: 'POST' },
  },
  '2.4/device-card-body': {
    'sends its code under another name': {
      cardUrl: (setup, qr) => boothUrl(setup, '/check', { qr, id: '935107', gate: '3' }),
    },
  },
  '4.5/device-heart-url': {
    'sends heartbeats to another path': {
      heartUrl: (setup) => boothUrl(setup, '/x/alive', { id: '935107' }),
    },
  },
  '4.5/device-heartbeat-serial': {
    'has another serial in heartbeats': {
      heartUrl: (setup) => boothUrl(setup, '/alive', { id: '1' }),
    },
  },
  '4.5/device-sends-heartbeats': {
    'sends no heartbeats': { heartUrl: undefined },
  },
  '4.5/device-accepts-echo': {
    'takes the answer to a heartbeat for none': { acceptsEcho: () => false },
  },
  '2.4/device-open-time': {
    'opens for the time of its own setting': {
      decide: (answer) => {
        const decision = HONEST_BOOTH.decide(answer);
        return decision && { ...decision, seconds: 0.2 };
      },
    },
  },
  '7.3/device-shut-on-denial': {
    'opens on any text that has its status': {
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
  '4.3/device-malformed-answer': {
    'opens on a text that it cannot read for a card that was admitted before': {
      opensKnown: (answer) =>
        typeof answer !== 'string' && answer.isWhole && !/^(OPEN|SHUT) /.test(answer.text),
    },
  },
  '4.6/device-opens-on-grant': {
    'stays shut for a card that was admitted before': { refusesKnown: true },
  },
});
