import { isRecord, parsedJson } from '../../facts/json.ts';
import { NO_REQUEST } from '../formats/format.ts';
import { AGAIN, granted, KNOWN_CARD, MAY_ADMIT, NO_JSON, type Scene, scene } from './scene.ts';

/** What broken servers answer that is JSON, and no object with a decision: by scene, with what it is made of an admission. */
const ANSWERS: Readonly<Record<string, readonly [hint: string, (admission: string) => string]>> = {
  'list-answer': ['The admission comes inside a list.', (admission) => `[${admission}]`],
  'wrapped-answer': [
    'The admission comes inside another object.',
    (admission) => `{"data":${admission}}`,
  ],
  'text-answer': [
    'The admission comes as a text in JSON.',
    (admission) => JSON.stringify(admission),
  ],
  'true-answer': ['The answer is true.', () => 'true'],
  'number-answer': ['The answer is the number 1.', () => '1'],
  'null-answer': ['The answer is null.', () => 'null'],
};

/** The names of these scenes. */
export const OTHER_JSON_SCENES: readonly string[] = Object.keys(ANSWERS);

/** Scenes in which a card that was admitted gets JSON of every type but that of an answer. */
export const OTHER_JSON: readonly Scene[] = Object.entries(ANSWERS).map(([id, [hint, made]]) =>
  scene(id, `${AGAIN} ${hint}`, {
    again: KNOWN_CARD,
    wants: ['door', 'told'],
    answer: (good) => ({ ...good, body: made(good.body) }),
    skipReason(session) {
      const good = granted(session, NO_REQUEST);
      if (!isRecord(parsedJson(good.body))) return NO_JSON;
      return session.format.mayAdmit({ ...good, body: made(good.body) }) ? MAY_ADMIT : undefined;
    },
  }),
);
