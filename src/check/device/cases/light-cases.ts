import { Inconclusive } from '../../cases/case.ts';
import { Deviation } from '../../facts/failures.ts';
import { DENIALS } from '../formats/format.ts';
import { denialScene } from '../scenes/scenes.ts';
import type { SubjectKind } from '../session-record.ts';
import { type DeviceCase, deviceCase } from './device-case.ts';
import type { SessionResults } from './session-results.ts';

/** Who sees green walks on, whatever the door does. */
function lights(kind: SubjectKind): DeviceCase {
  return deviceCase(`4.6/${kind}-light`, {
    level: 'observed',
    requirement:
      'A green light comes on only where the door opens, and a red one alone only where it stays shut.',
    scenes: ['granted', ...DENIALS.map(denialScene)],
    run: judgeLights,
  });
}

function judgeLights(results: SessionResults): void {
  const presentations = Object.entries(results.record.presentations);
  const lit = presentations.filter(([, { seen }]) => (seen.lights ?? []).length > 0);
  if (lit.length === 0) throw new Inconclusive('nobody saw a light', true);
  const wrong = lit.find(
    ([
      ,
      {
        seen: { opened, lights = [] },
      },
    ]) => opened !== undefined && opened !== lights.includes('green'),
  );
  if (!wrong) return;
  const [name, { seen }] = wrong;
  const request = results.posts(name).at(-1);
  const answer = results.answerTo(request);
  if (seen.opened)
    throw new Deviation('a green light', `a red one, while the door opened on ${answer}`, request);
  throw new Deviation(
    'a red light, or none',
    `a green one, while the door stayed shut on ${answer}`,
    request,
  );
}

/** Cases on the light beside the reader. */
export const LIGHT_CASES: readonly DeviceCase[] = [lights('device'), lights('client')];
