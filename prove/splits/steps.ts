import type { Line } from '../postgres/proxy.ts';
import type { Random } from '../world/random.ts';
import type { SplitServer } from './server.ts';

/** What is sent at the steps of the protocol, and who is killed when it was. */
const STEPS = [
  { on: 'onSent', text: '/site/tickets?', victim: 'site' },
  { on: 'onAnswered', text: '"kind":"take"', victim: 'site' },
  { on: 'onAnswered', text: '"kind":"close"', victim: 'site' },
  { on: 'onSent', text: '"isClosed":true', victim: 'centre' },
  { on: 'onSent', text: '/site/rows', victim: 'centre' },
  { on: 'onSent', text: '/site/rows', victim: 'site' },
  { on: 'onAnswered', text: '"stored":', victim: 'site' },
  { on: 'onAnswered', text: '"tickets":', victim: 'centre' },
] as const;

/** What happens at a step that a line carries, until it is disarmed. */
export interface Armed {
  disarm(): void;
}

/** Kills at the next moment at which a step goes over the line: before it arrives, or soon after. */
export function killAtStep(
  line: Line,
  servers: Readonly<Record<'site' | 'centre', readonly SplitServer[]>>,
  random: Random,
): Armed {
  const { on, text, victim } = random.pick(STEPS);
  const delayMs = random.chance(0.5) ? 0 : random.between(1, 30);
  const armed = armedOn(line);
  line[on] = (data, wire) => {
    if (!data.includes(text)) return;
    armed.disarm();
    // The other end hears of it later, or never.
    if (random.chance(0.5)) wire.hold(random.between(100, 2000));
    const die = () => {
      for (const one of servers[victim]) void one.kill();
    };
    if (delayMs === 0) die();
    else setTimeout(die, delayMs);
  };
  return armed;
}

/** Loses the answers to rows: the centre keeps the rows, and the site does not hear of it. */
export function loseAnswers(line: Line): Armed {
  const asking = new Set<unknown>();
  line.onSent = (data, wire) => {
    if (data.includes('/site/rows')) asking.add(wire);
  };
  line.onAnswered = (_, wire) => {
    if (asking.delete(wire)) wire.drop();
  };
  return armedOn(line);
}

function armedOn(line: Line): Armed {
  return {
    disarm() {
      line.onSent = () => {};
      line.onAnswered = () => {};
    },
  };
}
