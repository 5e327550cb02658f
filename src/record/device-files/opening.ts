import { deviceBody } from '../request-body.ts';

const SAYS_WHETHER =
  /grant|open|allow|access|unlock|success|permit|admit|pass|valid|^ok$|^result$|^decision$|^action$/i;
const YES =
  /^(true|yes|ok|granted|grant|open|opened|allow|allowed|success|pass|valid|accept|accepted|permit)$/i;
const NO =
  /^(false|no|denied|deny|refused|closed|close|block|blocked|rejected|reject|fail|failed|failure|error|invalid)$/i;
const DEPTH_MAX = 8;

/** Guesses whether an answer opens the door, from its status and words; undefined when it does not say, or says both. */
export function opens(status: number, body: string): boolean | undefined {
  if (status >= 400) return false;
  const { json } = deviceBody(Buffer.from(body));
  const said = json ? wordsIn(json, 0) : [body.trim()].map(inWords);
  const clear = new Set(said.filter((one) => one !== undefined));
  return clear.size === 1 ? clear.has(true) : undefined;
}

function wordsIn(value: object, depth: number): (boolean | undefined)[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (typeof inner === 'object' && inner !== null)
      return depth < DEPTH_MAX ? wordsIn(inner, depth + 1) : [];
    return SAYS_WHETHER.test(name) ? [inWords(String(inner))] : [];
  });
}

function inWords(text: string): boolean | undefined {
  if (YES.test(text)) return true;
  return NO.test(text) ? false : undefined;
}
