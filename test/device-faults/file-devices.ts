import type { SubjectSetup } from '../../src/check/index.ts';
import { type Controller, type Decision, HONEST } from './controller.ts';
import { type Answer, objectIn } from './http-post.ts';

const SERIAL = '935107';
/** For how long the turnstile is free; no answer says it. */
const FREE_SECONDS = 1;

/** The address of a device with paths of its own. */
export function deviceUrlOf({ deviceUrl = '' }: SubjectSetup): string {
  return deviceUrl;
}

/** What an answer to a Control iD says; undefined where it is none. */
export function resultIn({ text, isWhole }: Answer) {
  const result = isWhole ? objectIn(text)?.['result'] : undefined;
  if (typeof result !== 'object' || result === null) return undefined;
  return result as {
    event?: unknown;
    user_name?: unknown;
    message?: unknown;
    actions?: readonly { action?: unknown; parameters?: unknown }[];
  };
}

/** A Control iD turnstile that does everything right by its built-in file. */
export const HONEST_TURNSTILE: Controller = {
  ...HONEST,
  cardUrl: (setup) => `${deviceUrlOf(setup)}/new_qrcode.fcgi`,
  heartUrl: undefined,
  card: (code) => ({ device_id: SERIAL, qrcode_value: code, portal_id: 1, identifier_id: 1 }),
  decide(answer): Decision | undefined {
    const result = resultIn(answer);
    if (result?.event === undefined) return undefined;
    const [action] = result.actions ?? [];
    const parameters = String(action?.parameters ?? '');
    const turns = action?.action === 'catra' && parameters.startsWith('allow=');
    return {
      opens: result.event === 7 && turns && answer.status === 200,
      relay: parameters.slice('allow='.length),
      seconds: FREE_SECONDS,
      name: String(result.user_name ?? ''),
      note: String(result.message ?? ''),
    };
  },
};

/** A query of the booth reader. */
export function boothUrl(setup: SubjectSetup, path: string, values: Record<string, string>) {
  return `${deviceUrlOf(setup)}${path}?${new URLSearchParams(values)}`;
}

/** A reader that does everything right by booth.yaml. */
export const HONEST_BOOTH: Controller = {
  ...HONEST,
  method: 'GET',
  headers: () => ({}),
  cardUrl: (setup, code) => boothUrl(setup, '/check', { code, id: SERIAL, gate: '3' }),
  heartUrl: (setup) => boothUrl(setup, '/alive', { id: SERIAL }),
  card: () => '',
  heartbeat: () => ({}),
  decide({ text, isWhole, status }): Decision | undefined {
    const [word = '', relay = '', seconds = ''] = text.split(' ');
    if (!isWhole || (word !== 'OPEN' && word !== 'SHUT')) return undefined;
    const opens = word === 'OPEN' && status === 200;
    const note = text.split(' ').slice(word === 'OPEN' ? 3 : 1);
    return { opens, relay, seconds: Number(seconds) || 1, name: '', note: note.join(' ') };
  },
};
