import { describe, expect, test } from 'vitest';
import { isInstalled, PROXIES, type ProxyName, startProxy } from '../support/proxies.ts';
import { isDocumented } from './support/answers.ts';
import { documented, type Judge, Player, SECRETS } from './support/player.ts';
import { WireService } from './support/wire-service.ts';
import { CONTRACT } from './wire/contract.ts';

/**
 * A proxy may refuse for itself what is no good HTTP, with its own words, or pass it on in good form. What it passes on
 * gets the documented answer; no use is registered that is not answered to the one who asked.
 */
const throughProxy: Judge = (one, answer) => {
  const isRefusedByProxy =
    answer === undefined ||
    [400, 403, 405, 408, 411, 413, 414, 431, 501, 505].includes(answer.status);
  const mayRefuse = ['framing', 'paths', 'content types', 'keys', 'headers'].includes(one.group);
  if (mayRefuse && isRefusedByProxy) return undefined;
  // Some mend what they can, such as a line that ends with LF alone: then it is a good request, and its use is answered.
  const mended = ['consumed', 'hw_granted'].some((name) => isDocumented(name, answer));
  if (one.group === 'framing' && mended) return undefined;
  return documented(one, answer);
};

describe.each(Object.keys(PROXIES) as ProxyName[])('behind %s', (name) => {
  // Without the proxy on this machine there is nothing to test; `.ci/run` installs both.
  test.skipIf(!isInstalled(name))(
    'no request of the contract harms another, takes a use or brings an error of the service',
    async () => {
      await using service = await WireService.start({ reads: 'plain', uses: 9999 });
      await using proxy = await startProxy(name, service.port);
      const player = new Player(service, proxy.port, throughProxy);
      for (const [group, rows] of Object.entries(CONTRACT)) {
        for (const row of rows) await player.play({ ...row, group });
      }
      player.close();

      expect(player.failures).toEqual([]);
      expect((await service.store.verify()).problems).toEqual([]);
      expect(SECRETS.filter((secret) => service.logs.includes(secret))).toEqual([]);
    },
  );
});
