import type { AnswerLine, RecordLine } from '../history/record.ts';
import type { Card, Plan, Scan, Step } from './plan.ts';
import type { Played } from './play.ts';
import { meantBy, type Town } from './town.ts';

/** Tells a plan that was played: a line for each step with what came of it, then what the disk did, then the broken rules. */
export function tell({ steps, disk }: Plan, { lines, problems, accesses, town }: Played): string {
  let at = 0;
  const deeds = steps.map((step, index) => {
    at += step.waitMs;
    const answers = lines.filter((line) => 'id' in line && Math.floor(line.id) === index + 1);
    return `  ${index + 1}. at ${at} ms ${deedOf(step, town)}${answers.map(outcomeOf).join('')}`;
  });
  const delays = disk.slice(0, accesses).flatMap(({ beforeMs, afterMs, fails }, index) => {
    const what = fails === 'never' ? '' : `, fails ${fails} it happened`;
    const isUsual = what === '' && beforeMs + afterMs === 0;
    return isUsual ? [] : [`  disk access ${index + 1}: ${beforeMs} + ${afterMs} ms${what}`];
  });
  const broken = problems.map(({ rule, text }) => `  ${rule}: ${text}`);
  let story = [...deeds, ...delays, ...broken].join('\n');
  for (const [id, name] of town.names) story = story.replaceAll(id, name);
  return story;
}

function deedOf(step: Step, town: Town): string {
  switch (step.does) {
    case 'scan':
      return `${step.action} ${asked(step, town)}${step.name === 'none' ? '' : ` with ${step.name}`}`;
    case 'card':
      return `a card at a device ${step.hasSerial ? 'with' : 'without'} serial, ${asked(step, town)}`;
    case 'crash':
      return `process ${step.process} crashes and starts again ${step.downMs} ms later`;
    case 'cancel':
      return `cancel ${meantBy(town, step).ticket.id}`;
    case 'enable':
    case 'disable':
      return `${step.does} ${meantBy(town, step).key.id}`;
    case 'clock':
      return `the clock is set to ${step.seconds} s from the right time`;
  }
}

function asked(step: Scan | Card, town: Town): string {
  const { key, ticket } = meantBy(town, step);
  const trips = step.trips.map(
    ({ process, loses }) => `process ${process}${loses === 'nothing' ? '' : ` (${loses} lost)`}`,
  );
  return `${ticket.id} by ${key.id} at ${trips.join(', then ')}`;
}

function outcomeOf(line: RecordLine): string {
  if (line.type === 'unknown') return `; at ${line.at} ms no answer`;
  if (line.type !== 'ok' && line.type !== 'fail') return '';
  const { at, status, reason = status, usesConsumed } = line satisfies AnswerLine;
  return `; at ${at} ms ${reason}${usesConsumed === undefined ? '' : ` at use ${usesConsumed}`}`;
}
