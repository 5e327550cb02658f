import type { DeviceEvent } from '../device-events.ts';

/** An event as a line for people; undefined for what does not interest them. */
export function plainLine(event: DeviceEvent): string | undefined {
  const text = plainText(event);
  if (text === undefined) return undefined;
  const seconds = (event.t / 1000).toFixed(1).padStart(7);
  return `${seconds} s  ${event.device}  ${text}`;
}

function plainText(event: DeviceEvent): string | undefined {
  switch (event.event) {
    case 'post':
      return `card ${event.card} is posted${event.fault ? ` (fault: ${event.fault})` : ''}`;
    case 'granted':
      return `GRANTED in ${event.latencyMs} ms  [${event.name}] [${event.note}]`;
    case 'denied':
      return `DENIED in ${event.latencyMs} ms  [${event.note}] (HTTP ${event.status})`;
    case 'door-open':
      return `door open for ${event.seconds} s, relay ${event.relay}`;
    case 'timeout':
      return `no answer within ${event.latencyMs} ms; the door is ${event.door}`;
    case 'error':
      return `error: ${event.message}; the door is ${event.door}`;
    case 'unseen':
      return `an answer was lost (${event.why}); uses lost: ${event.usesSpent}`;
    case 'ignored':
      return `card ${event.card} is ignored (${event.why})`;
    case 'deviation':
      return `deviation: ${event.what}`;
    case 'heartbeat':
      return event.ok ? undefined : `heartbeat missed: ${event.message}`;
    case 'passage':
      return event.ok
        ? `reported that ${event.turnedBack ? 'nobody' : 'the person'} passed`
        : `the report of the passage failed: ${event.message}`;
    case 'read':
      return undefined;
    default:
      return event.event.replace('-', ' ');
  }
}
