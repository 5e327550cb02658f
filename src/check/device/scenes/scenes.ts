import { CONTACT_SCENES } from './contact.ts';
import { FAILURE_SCENES } from './failures.ts';
import { GRANT_SCENES } from './grants.ts';
import { REFUSAL_SCENES } from './refusals.ts';
import type { Scene } from './scene.ts';

/** Every scene, in the order in which they are played: the first shows which model it is. */
export const SCENES: readonly Scene[] = [
  ...GRANT_SCENES,
  ...REFUSAL_SCENES,
  ...FAILURE_SCENES,
  ...CONTACT_SCENES,
];
