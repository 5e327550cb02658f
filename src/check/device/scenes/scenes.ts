import { CONTACT_SCENES } from './contact.ts';
import { FAILURE_SCENES } from './failures.ts';
import { GRANT_SCENES } from './grants.ts';
import { REFUSAL_SCENES } from './refusals.ts';
import type { Scene } from './scene.ts';

/**
 * Scenes without a decision, each right after an admission: a gate that goes by the last answer that it could read opens then. And a card
 * is denied right after it was admitted: a gate that lets a card in once more for some seconds opens then.
 */
const RIGHT_AFTER: Readonly<Record<string, string>> = {
  granted: 'cut',
  again: 'known-denied',
  slow: 'malformed',
  chunked: 'empty',
  rewritten: 'web-page',
  closed: 'lost',
  'admitted-later': 'no-answer',
};

const IN_GROUPS = [GRANT_SCENES, REFUSAL_SCENES, FAILURE_SCENES, CONTACT_SCENES];
const MOVED = new Set(Object.values(RIGHT_AFTER));
const ALL = IN_GROUPS.flat();

/** Every scene, in groups: a person is asked after each what happened in between. */
const SCENE_GROUPS: readonly (readonly Scene[])[] = IN_GROUPS.map((group) =>
  group
    .filter(({ id }) => !MOVED.has(id))
    .flatMap((scene) => [scene, ...ALL.filter(({ id }) => id === RIGHT_AFTER[scene.id])]),
);

/** Every scene, in the order in which they are played: the first shows which model it is. */
export const SCENES: readonly Scene[] = SCENE_GROUPS.flat();

/** Whether two scenes are of the same group. */
export function isSameGroup(one: Scene, other: Scene): boolean {
  return SCENE_GROUPS.some((group) => group.includes(one) && group.includes(other));
}
