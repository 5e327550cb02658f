import { Inconclusive } from '../../cases/case.ts';
import { Deviation } from '../../facts/failures.ts';
import { isHeartbeat } from '../session.ts';
import type { SubjectKind } from '../session-record.ts';
import { type DeviceCase, deviceCase, mustOpen, mustStayShut } from './device-case.ts';
import { only } from './request-cases.ts';

/** Cards that were read while there was no server, and that arrive when it is back. */
function silentAfterOutage(kind: SubjectKind): DeviceCase {
  return silentBetween(
    `3.2/${kind}-silent-after-outage`,
    'When the server can be reached again, no ticket is sent that nobody presents now.',
    { scenes: ['unreachable'], from: 'up', to: 'back' },
  );
}

/** When no ticket may be sent: between these marks of a session. */
interface Silence extends Pick<DeviceCase, 'scenes'> {
  readonly from: string;
  readonly to: string;
}

function silentBetween(id: string, requirement: string, { scenes, from, to }: Silence): DeviceCase {
  return deviceCase(id, {
    level: 'observed',
    requirement,
    scenes,
    cause: 'A ticket that is sent later takes a use, and nobody enters.',
    run(results) {
      const { [from]: fromMs, [to]: toMs } = results.record.marks;
      if (fromMs === undefined || toMs === undefined)
        throw new Inconclusive('the scene was not played');
      const request = results.cards.find(({ atMs }) => atMs >= fromMs && atMs < toMs);
      if (request) throw new Deviation('no ticket', 'a ticket was sent', request);
    },
  });
}

function comesBack(id: string, requirement: string): DeviceCase {
  return deviceCase(id, {
    level: 'observed',
    isTimed: true,
    requirement,
    scenes: ['unreachable'],
    run(results) {
      // A heartbeat after a loss of power does not show that the device came back from the outage.
      const { up, back = Infinity } = results.record.marks;
      if (up === undefined) throw new Inconclusive('the scene was not played');
      if (results.posts('back').length === 0)
        throw new Deviation('the next card is posted', 'none arrived');
      const { heartbeats, format } = results;
      const beats = format.features.heartbeat && heartbeats.length > 0;
      if (beats && !heartbeats.some(({ atMs }) => atMs >= up && atMs <= back))
        throw new Deviation('heartbeats', 'none since the server is back', undefined, {
          fields: ['regular heartbeats'],
        });
      mustOpen(results, 'back');
    },
  });
}

const COLLECTS = 'A false server could collect the key.';

function carriesNoKey(kind: SubjectKind, requirement: string): DeviceCase {
  return deviceCase(`5/${kind}-redirect`, {
    isDangerous: true,
    level: 'observed',
    requirement,
    scenes: ['redirect', 'redirect-kept'],
    cause: COLLECTS,
    run(results) {
      results.posted('redirect');
      const request = results.record.requests.find(
        (one) => one.place === 'elsewhere' && !isHeartbeat(one, results.format),
      );
      if (request) throw new Deviation('no request', 'the request with the key', request);
    },
  });
}

function trustsOnlyIts(kind: SubjectKind, requirement: string): DeviceCase {
  return deviceCase(`1/${kind}-https`, {
    isDangerous: true,
    requirement,
    scenes: ['certificate'],
    cause: 'The certificate is not checked: anybody on the network could read the key.',
    run(results) {
      results.presentation('certificate');
      const request = results.record.requests.find(({ place }) => place === 'untrusted');
      if (request) throw new Deviation('no request', 'the request with the key', request);
      const { opened } = results.presentation('certificate').seen;
      if (opened && results.settings.failMode === 'secure') mustStayShut(results, 'certificate');
    },
  });
}

/** Cases on outages, and on where the key goes. */
export const REACH_CASES: readonly DeviceCase[] = [
  comesBack(
    '4.5/device-comes-back',
    'When the server can be reached again, heartbeats and cards come again.',
  ),
  silentBetween(
    '3.2/device-silent-after-power-loss',
    'After a power loss no card is posted that nobody presented.',
    {
      scenes: ['power'],
      from: 'power-on',
      to: 'power-settled',
    },
  ),
  silentAfterOutage('device'),
  carriesNoKey(
    'device',
    'The device does not carry its key to another address when an answer redirects it.',
  ),
  deviceCase('5/device-heartbeat-redirect', {
    level: 'observed',
    requirement:
      'The device does not carry its key to another address when the answer to a heartbeat redirects it.',
    scenes: ['redirect'],
    cause: COLLECTS,
    skipReason: only('heartbeat', 'this model sends no regular heartbeat'),
    run({ record, heartbeats }) {
      if (record.marks['heartbeat-redirected'] === undefined)
        throw new Inconclusive('the scene was not played');
      if (!heartbeats.some(({ answer }) => answer?.status === 307))
        throw new Inconclusive('no heartbeat arrived to be redirected', true);
      const request = heartbeats.find(({ place }) => place === 'elsewhere');
      if (request) throw new Deviation('no request', 'the heartbeat with the key', request);
    },
  }),
  trustsOnlyIts(
    'device',
    'Requests use HTTPS, and go only to a server whose certificate the device trusts.',
  ),
  comesBack(
    '3.2/client-comes-back',
    'When the server can be reached again, the program works without a restart.',
  ),
  silentAfterOutage('client'),
  carriesNoKey(
    'client',
    'The program does not carry its key to another address when an answer redirects it.',
  ),
  trustsOnlyIts(
    'client',
    'Requests use HTTPS, and go only to a server whose certificate the program trusts.',
  ),
];
