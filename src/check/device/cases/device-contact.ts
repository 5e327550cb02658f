import { isHeartbeat } from '../stage.ts';
import type { DeviceCase } from './device-case.ts';
import { mustOpen, mustStayShut, stillOpens } from './door.ts';
import { NotShown, SubjectDeviation } from './facts.ts';
import { silentAfterOutage } from './outage.ts';

const DEVICE = { level: 'stated', kind: 'device', endpoint: 'hw/consume' } as const;
/** Cases on outages, power, and where the key goes. */
export const DEVICE_CONTACT_CASES: readonly DeviceCase[] = [
  {
    kind: 'device',
    endpoint: 'heartbeat',
    id: '4.5/device-comes-back',
    level: 'observed',
    scenes: ['unreachable'],
    requirement: 'When the server can be reached again, heartbeats and cards come again.',
    cause: 'The device gives up after some failures, and needs somebody to restart it.',
    judge(facts) {
      const { up } = facts.record.marks;
      if (up === undefined) throw new NotShown('the scene was not played');
      if (facts.posts('back').length === 0)
        throw new SubjectDeviation('the next card is posted', 'none arrived');
      if (facts.format.features.heartbeat && facts.heartbeats.length > 0) {
        if (!facts.heartbeats.some(({ atMs }) => atMs >= up))
          throw new SubjectDeviation('heartbeats', 'none since the server is back');
      }
      mustOpen(facts, 'back');
    },
  },
  stillOpens({
    id: '4.6/device-after-power-loss',
    kind: 'device',
    level: 'observed',
    scenes: ['after-power-loss'],
    requirement: 'After a power loss the device reads cards again without help.',
    cause: 'The settings are lost with the power, or the device waits for a button.',
  }),
  {
    ...DEVICE,
    id: '3.2/device-silent-after-power-loss',
    level: 'observed',
    scenes: ['power'],
    requirement: 'After a power loss no card is posted that nobody presented.',
    cause:
      'The device stores cards without an answer and posts them later: each takes a use, and nobody enters.',
    judge(facts) {
      const { 'power-on': on, 'power-settled': settled } = facts.record.marks;
      if (on === undefined || settled === undefined) throw new NotShown('the scene was not played');
      const stray = facts.cards.find(({ atMs }) => atMs >= on && atMs < settled);
      if (stray) throw new SubjectDeviation('no card', 'a card was posted', stray);
    },
  },
  {
    ...DEVICE,
    id: '5/device-redirect',
    level: 'observed',
    scenes: ['redirect', 'redirect-kept'],
    requirement:
      'The device does not carry its key to another address when an answer redirects it.',
    cause: 'The HTTP library follows redirects. A false server could collect the key.',
    judge(facts) {
      facts.posted('redirect');
      const carried = facts.record.requests.find(
        (one) => one.place === 'elsewhere' && !isHeartbeat(one, facts.format),
      );
      if (carried) throw new SubjectDeviation('no request', 'the request with the key', carried);
    },
  },
  silentAfterOutage('device'),
  {
    ...DEVICE,
    id: '1/device-https',
    scenes: ['certificate'],
    requirement: 'Requests use HTTPS, and go only to a server whose certificate the device trusts.',
    cause:
      'The check of certificates is off: anybody on the network could read the key and open the door.',
    judge(facts) {
      facts.seen('certificate');
      const carried = facts.record.requests.find(({ place }) => place === 'untrusted');
      if (carried) throw new SubjectDeviation('no request', 'the request with the key', carried);
      if (facts.settings.failMode === 'secure' && facts.seen('certificate').sight.opened)
        mustStayShut(facts, 'certificate', false);
    },
  },
];
