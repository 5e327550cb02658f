import { curlLine } from '../../requests/curl.ts';
import { Redactor } from '../../requests/redact.ts';
import { type KeyName, keyVariable, type Target, type TargetTicket } from '../../target/target.ts';
import { FORGERY_RECIPES, forge } from '../histories/forgery.ts';
import {
  FORGERIES,
  type Group,
  type History,
  isDevice,
  keysIn,
  placeName,
  placesIn,
  type Step,
  stepsIn,
} from '../histories/history.ts';
import { RequestWriter } from '../run/requests.ts';
import { kindName, storyOf, ticketNames } from './story.ts';

/**
 * A bash script that sends a history again with curl. Keys and codes are variables: it holds no secret.
 * @param target whose keys are hidden
 */
export function scriptOf(baseUrl: URL, history: History, target: Target): string {
  const names = ticketNames(history);
  const standIns = new Map<string, TargetTicket>();
  const redactor = new Redactor();
  for (const [name, key] of Object.entries(target.keys))
    redactor.add(key, `$${keyVariable(name as KeyName)}`);
  const variables = placesIn(history).flatMap((place) => {
    const name = placeName(place);
    const variable = `TICKET_${names.get(name)}`;
    const code = `EXPLORE.tkt_${names.get(name)}.signature-of-${names.get(name)}`;
    standIns.set(name, { code });
    return [
      `: "\${${variable}:?the code of a ${kindName(place.kind)}}"`,
      ...variablesFor(variable, code, name, history, redactor),
    ];
  });
  const writer = new RequestWriter(target.keys);
  const line = (step: Step) => {
    const ticketAt: Parameters<RequestWriter['write']>[1] = (place) =>
      standIns.get(placeName(place)) as TargetTicket;
    return curlLine(baseUrl, writer.write(step, ticketAt), redactor);
  };
  return [
    '#!/usr/bin/env bash',
    '# Written by `ticketscan check explore`. Use tickets that were not scanned before.',
    ...keysIn(history).map((name) => `: "\${${keyVariable(name)}:?the key ${name}}"`),
    ...variables,
    ...history.flatMap((group) => groupLines(group, history, line)),
    '',
  ].join('\n');
}

/** The code as devices send it, and its forgeries, where the history uses them. */
function variablesFor(
  variable: string,
  code: string,
  place: string,
  history: History,
  redactor: Redactor,
): string[] {
  const steps = history
    .flatMap((group) => group.steps)
    .filter(({ card }) => card && placeName(card.ticket) === place);
  const lines: string[] = [];
  for (const forged of [undefined, ...FORGERIES]) {
    const using = steps.filter(({ card }) => card?.forged === forged);
    if (using.length === 0) continue;
    const suffix = forged === undefined ? '' : `_${forged.toUpperCase().replaceAll('-', '_')}`;
    const name = `${variable}${suffix}`;
    const text = forged === undefined ? code : forge(code, forged);
    if (forged !== undefined) lines.push(`${name}="${FORGERY_RECIPES[forged].bash(variable)}"`);
    if (using.some(({ action }) => isDevice(action))) {
      const card = `CARD${name.slice('TICKET'.length)}`;
      lines.push(`${card}=$(printf %s "$${name}" | base64 -w0)`);
      redactor.add(Buffer.from(text).toString('base64'), `$${card}`);
    }
    redactor.add(text, `$${name}`);
  }
  return lines;
}

function groupLines(group: Group, history: History, line: (step: Step) => string): string[] {
  // the letters of the tickets are those of the whole history
  const before = history.slice(0, history.indexOf(group));
  const story = storyOf(history).slice(stepsIn(before));
  const lines = group.steps.flatMap((step, i) => [
    `# ${story[i]}`,
    command(step, group, line(step)),
  ]);
  if (group.pauseMs !== undefined) lines.unshift(`sleep ${group.pauseMs / 1000}`);
  if (group.way !== 'in-turn') lines.push('wait');
  if (group.over !== 'new' && group.way !== 'at-once')
    lines.push('# (curl opens a connection for each line; `check replay` sends these over one)');
  return ['', ...lines];
}

function command({ times }: Step, { way }: Group, line: string): string {
  const once = way === 'in-turn' ? `${line}; echo` : `{ ${line}; echo; } &`;
  if (times === 1) return once;
  const end = way === 'in-turn' ? ';' : '';
  return `for i in $(seq ${times}); do ${once}${end} done`;
}
