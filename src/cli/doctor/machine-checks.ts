import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, isIP } from 'node:net';
import packageFile from '../../../package.json' with { type: 'json' };
import { type ServerNames, servesTicketscan } from '../../config/addresses.ts';
import { readKeyring } from '../../config/keyring-file.ts';
import { messageOf } from '../../core/errors.ts';
import { machineZone } from '../../core/machine-zone.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { asSentence, listenFailure } from '../../kit/failures.ts';
import { readBoundedText } from '../../kit/files.ts';
import { counted } from '../../kit/text.ts';
import { VERSION } from '../../kit/version.ts';
import { lackedBy } from '../../serve/certificate.ts';
import { type Found, failed, good, skipped, warning } from './finding.ts';

/** Compares the running Node with the required versions. @param version such as `v26.1.0` */
export function checkNode(version: string): Found {
  const wanted = packageFile.engines.node;
  if (wanted.split('||').some((range) => isIn(range, version)))
    return good(`Node ${version}, ticketscan ${VERSION}.`);
  return failed(
    `Node ${version}, but ${wanted} is needed.`,
    'Install a current Node, or use npx in a checkout, which has its own.',
  );
}

/** @param range `^22.20.0` for one line of versions, `>=24.7.0` without an end */
function isIn(range: string, version: string): boolean {
  const [[major, minor], [wantedMajor, wantedMinor]] = [numbersOf(version), numbersOf(range)];
  if (major === wantedMajor) return minor >= wantedMinor;
  return range.includes('>=') && major > wantedMajor;
}

function numbersOf(version: string): [major: number, minor: number] {
  const [major, minor] = (version.match(/\d+/g) ?? []).map(Number);
  return [major ?? 0, minor ?? 0];
}

/** Checks that the signing keys exist, that only the owner can read them, and that one signs. @param store how many tickets it has, and whether it is that of a site */
export function checkKeyring(
  path: string | undefined,
  { tickets, isSite }: { readonly tickets: number; readonly isSite: boolean },
): Found {
  if (isSite) return good('A site signs nothing: it has from its centre what verifies codes.');
  if (path === undefined) return good('In memory, like its store.');
  if (!existsSync(path)) {
    if (tickets === 0) {
      return skipped(`${path} does not exist yet: the first ticket or server creates it.`);
    }
    return failed(
      `${path} is missing, but the store has ${counted(tickets, 'ticket')} that only it can verify.`,
      'Restore it from a backup, or name it with --keyring. Do not create a new one.',
    );
  }
  try {
    const keys = readKeyring(path);
    const active = keys
      .filter(({ state }) => state === 'active')
      .map(({ id, format }) => `${id} (${format})`);
    if (active.length > 0) {
      return good(`${path}: readable by you only; signs with ${active.join(', ')}.`);
    }
    return failed(
      `${path} has no active key: tickets can be verified, but not created.`,
      'Run: ticketscan signing-keys rotate --format TS1',
    );
  } catch (error) {
    return failed(messageOf(error), 'Nobody is admitted while the keyring cannot be read.');
  }
}

/** Whether `serve` could listen, or already does. */
export async function checkPort(host: string, number: number): Promise<Found> {
  const place = `${host}:${number}`;
  const server = createServer();
  try {
    server.listen(number, host);
    await once(server, 'listening');
    return good(number === 0 ? 'Any free port is used.' : `${place} is free.`);
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    if (code !== 'EADDRINUSE') {
      const { what, advice } = listenFailure(error, host, number);
      return failed(asSentence(what), asSentence(advice));
    }
    if (await servesTicketscan(host, number)) return good(`ticketscan already serves on ${place}.`);
    return failed(
      `Another program listens on ${place}.`,
      'Choose another port with --port, or end that program.',
    );
  } finally {
    server.close();
  }
}

export interface TlsQuestion {
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** The name that clients use to reach the server, if known. */
  readonly hostname: string | undefined;
  readonly now: number;
}

/** Checks the certificate that `serve` would use: its key, its end, its names. */
export function checkTlsFiles({ tlsCert, tlsKey, hostname, now }: TlsQuestion): Found[] {
  if (tlsCert === undefined && tlsKey === undefined) {
    return [skipped('No certificate is given.', 'To check one, add --tls-cert and --tls-key.')];
  }
  if (tlsCert === undefined || tlsKey === undefined) {
    return [
      failed('Only one of certificate and key is given.', 'Give both --tls-cert and --tls-key.'),
    ];
  }
  try {
    const certificate = new X509Certificate(readBoundedText(tlsCert));
    const fits = certificate.checkPrivateKey(createPrivateKey(readBoundedText(tlsKey)));
    return [
      fits
        ? good(`${tlsKey} is the key of ${tlsCert}.`)
        : failed(
            `${tlsKey} is not the key of ${tlsCert}.`,
            'Give the key that belongs to the certificate.',
          ),
      certificateEnd(tlsCert, certificate.validToDate.getTime(), now),
      ...(hostname === undefined ? [] : [namesOf(certificate, hostname)]),
    ];
  } catch (error) {
    return [failed(`${messageOf(error)}.`, 'Both files must be PEM that this user may read.')];
  }
}

function namesOf(certificate: X509Certificate, hostname: string): Found {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(bare) ? certificate.checkIP(bare) : certificate.checkHost(bare);
  if (found !== undefined) return good(`It is issued for ${bare}.`);
  return failed(
    `It is not issued for ${bare}, but for ${certificate.subjectAltName ?? 'no name'}.`,
    'Get one for the name that clients use to reach the server.',
  );
}

const GET_A_NEW_ONE =
  'Restart serve, which creates a new one. Then give it to clients and devices.';

/**
 * Checks the self-signed certificate that `serve` keeps: its end, and whether it has the names of this machine.
 * @param path undefined for a server that keeps none
 */
export function checkSelfSigned(
  path: string | undefined,
  names: ServerNames,
  now: number,
): Found[] {
  if (path === undefined || !existsSync(path)) {
    return [skipped('No self-signed certificate is kept: the next start of serve creates it.')];
  }
  try {
    const cert = readBoundedText(path);
    const end = certificateEnd(path, new X509Certificate(cert).validToDate.getTime(), now);
    const lacked = lackedBy(cert, names);
    if (lacked.length === 0) return [end, good('It has the names of this machine.')];
    const lack = `${path} is not valid for ${lacked.join(', ')}, which is this machine now.`;
    return [end, warning(lack, GET_A_NEW_ONE)];
  } catch (error) {
    return [warning(`${path} cannot be used: ${messageOf(error)}.`, GET_A_NEW_ONE)];
  }
}

const RENEW_BEFORE_DAYS = 30;

/** How long a certificate lasts. @param endsAt and `now` in milliseconds since 1970 UTC */
export function certificateEnd(what: string, endsAt: number, now: number): Found {
  const days = Math.floor((endsAt - now) / DAY_MS);
  const zone = machineZone();
  const end = inZone(shownTime(endsAt, zone), zone);
  if (days < 0) {
    return failed(`${what} expired at ${end}.`, 'Renew it: clients and devices refuse it now.');
  }
  if (days < RENEW_BEFORE_DAYS) {
    return warning(
      `${what} expires in ${counted(days, 'day')}, at ${end}.`,
      'Renew it before then: after that clients and devices refuse it.',
    );
  }
  return good(`${what} is valid for ${days} more days, until ${end}.`);
}
