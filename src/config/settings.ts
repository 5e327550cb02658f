import { isIP } from 'node:net';
import * as z from 'zod';
import { pastedPlace } from '../kit/base-address.ts';
import { readProxies } from '../kit/client-address.ts';
import { DURATION_ERROR, HOUR_MS, readDuration, SECOND_MS } from '../kit/durations.ts';
import { TLS_KEY_TYPES } from '../kit/served-tls.ts';

export interface Setting {
  /** The member's name in a configuration file. */
  readonly name: string;
  /** The option on the command line, with its value's name; without one it is a switch. */
  readonly flag: string;
  readonly environment: string;
  /** Its message is what is allowed, as the end of "must be …". */
  readonly schema: z.ZodType;
  readonly fallback: string | number | boolean | undefined;
  /** One sentence with the unit. */
  readonly description: string;
  /** The option can be given several times. */
  readonly repeats?: true;
}

const port = wholeNumber(0, 65535);
const milliseconds = wholeNumber;
const days = wholeNumber(1, 36_500);
const duration = z
  .string(DURATION_ERROR)
  .refine(
    (given) => (readDuration(given) ?? 0) >= SECOND_MS,
    'a time such as 15m or 1h, of 1s or more',
  );
const text = z.string('a text').min(1, 'a text that is not empty');
const boolean = z.union([z.boolean(), z.stringbool()], { error: 'true or false' });
const proxies = text.refine((list) => readProxies(list) !== undefined, {
  error: 'addresses or networks such as 10.0.0.5,192.168.7.0/24',
});
const names = text.refine(
  (list) =>
    list.split(',').every((name) => isIP(name) || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(name)),
  { error: 'names and addresses such as gate.local,10.0.0.5' },
);
/** Several: a list in the configuration file, separated by commas in a variable. */
const texts = z
  .union([text.transform((list) => list.split(',')), z.array(text)])
  .refine((list) => list.length > 0 && list.every((one) => one.trim() !== ''), {
    error: 'one or several texts that are not empty',
  });
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https URL', abort: true })
  .superRefine((text, { addIssue }) => {
    const meant = pastedPlace(new URL(text));
    if (meant !== undefined) addIssue(meant);
  })
  .refine((text) => !/[?#]/.test(text), 'an address without a query (?) or fragment (#)');

/**
 * Every setting, its default and its unit, once: the options of commands, the environment, the configuration file and
 * docs/gate/configuration.md all come from here.
 */
export const SETTINGS = [
  setting(
    'store',
    '<url>',
    text,
    'where tickets, keys and the scan log are stored: sqlite:FILE, json:FILE, postgres://USER@HOST/DATABASE or memory:',
    'sqlite:./ticketscan.db',
  ),
  setting('url', '<url>', baseUrl, 'use the admin API of this server instead of a store'),
  setting('token', '<token>', text, 'access token for --url, as env:NAME or file:PATH'),
  setting(
    'ca',
    '<file>',
    text,
    'PEM file with certificates to trust besides the usual authorities',
  ),
  setting(
    'keyring',
    '<file>',
    text,
    "the signing keys (default: ticketscan.keyring.json beside the store's file; for Postgres in the working folder)",
  ),
  setting('host', '<address>', text, 'address to listen on', '127.0.0.1'),
  setting('port', '<number>', port, 'TCP port; 0 picks a free one', 8080),
  setting(
    'baseUrl',
    '<url>',
    baseUrl,
    'address that clients use to reach the service, with its path, for the URLs of devices (default: from host, port and certificate)',
  ),
  setting('tlsCert', '<file>', text, 'certificate chain (PEM) for HTTPS'),
  setting('tlsKey', '<file>', text, 'private key of the certificate (PEM)'),
  setting(
    'tlsSelfSigned',
    '',
    boolean,
    "serve HTTPS with a self-signed certificate, created once and kept beside the store's file",
    false,
  ),
  setting(
    'tlsName',
    '<list>',
    names,
    'names and addresses in the self-signed certificate, separated by commas (default: the names and addresses of this machine)',
  ),
  setting(
    'tlsKeyType',
    '<type>',
    oneOf(TLS_KEY_TYPES),
    'key type of the self-signed certificate: ec, or rsa for devices that know only RSA (default: the type of the existing certificate, else ec)',
  ),
  setting(
    'tlsElsewhere',
    '',
    boolean,
    'serve plain HTTP on any address, because TLS ends at a proxy in front',
    false,
  ),
  setting(
    'trustedProxy',
    '<list>',
    proxies,
    'addresses and networks of the proxies in front, separated by commas: only their X-Forwarded-For is read',
  ),
  setting(
    'logLevel',
    '<level>',
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    'lowest level that is logged: debug (every request), info, warn (refused requests), error or silent',
    'info',
  ),
  setting(
    'firstSignIn',
    '<file>',
    text,
    'file to which serve writes the first sign-in, instead of stderr; only its owner can read it',
  ),
  setting(
    'requestTimeoutMs',
    '<ms>',
    milliseconds(100, 600_000),
    'time limit for a complete request to arrive (milliseconds)',
    10_000,
  ),
  setting(
    'headersTimeoutMs',
    '<ms>',
    milliseconds(100, 600_000),
    'time limit for the head of a request to arrive (milliseconds)',
    5000,
  ),
  setting(
    'stopTimeoutMs',
    '<ms>',
    milliseconds(0, 600_000),
    'when stopping, unfinished requests are aborted after this time (milliseconds)',
    5000,
  ),
  setting(
    'keepLogDays',
    '<days>',
    days,
    'log entries older than this are removed once a day; counters stay (days; without it, nothing is removed)',
  ),
  setting(
    'keepHoldersDays',
    '<days>',
    days,
    'names of holders are erased this long after their ticket ended, once a day (days; without it, nothing is erased)',
  ),
  setting(
    'hardwareAlways200',
    '',
    boolean,
    'answer devices with HTTP 200 for every decision, for controllers that read the body only if the status is 200',
    false,
  ),
  {
    ...setting(
      'deviceFile',
      '<file>',
      texts,
      'device file (YAML), a folder of device files, or the name of one that comes with ticketscan (device-files --help); can be repeated. Bind a hardware key to such a device with keys edit --device NAME',
    ),
    repeats: true,
  },
  setting(
    'metrics',
    '<host:port>',
    text,
    'serve metrics for Prometheus at http://HOST:PORT/metrics, a separate address (default: off)',
  ),
  setting(
    'metricsTokenFile',
    '<file>',
    text,
    'file with a token that readers of --metrics send as Authorization: Bearer; required if other machines can reach the address',
  ),
  setting(
    'webhookNetworks',
    '<list>',
    proxies,
    'addresses and networks that webhooks may reach besides public ones, separated by commas, such as 10.0.0.0/8',
  ),
  setting(
    'webhookCa',
    '<file>',
    text,
    'PEM file with certificates to trust for webhooks besides the usual authorities',
  ),
  setting(
    'centre',
    '<url>',
    baseUrl,
    'serve as a site of this centre: its events are decided here while the line is cut (ticketscan docs sites)',
  ),
  setting(
    'siteToken',
    '<token>',
    text,
    'token of the site for --centre, as env:NAME or file:PATH (sites create shows it once)',
  ),
  setting(
    'maxAge',
    '<time>',
    duration,
    'a site answers 500 when it has not heard of its centre for so long, such as 15m (default: gates go on)',
  ),
  setting(
    'deviceRetryWindowMs',
    '<ms>',
    milliseconds(0, HOUR_MS),
    'if a device with a serial posts the same card again within this time, it gets the first answer again and no use is taken; 0 is off (milliseconds)',
    0,
  ),
] as const satisfies readonly Setting[];

/** The value of each setting; undefined where it has no default and nothing sets it. */
export type Settings = {
  readonly [One in (typeof SETTINGS)[number] as One['name']]:
    | z.output<One['schema']>
    | (One['fallback'] extends undefined ? undefined : never);
};

export type SettingName = keyof Settings;

/** The settings that say under which address devices and browsers reach the service. */
export const ADDRESS_SETTINGS = some(
  'baseUrl',
  'host',
  'port',
  'tlsCert',
  'tlsSelfSigned',
  'tlsName',
);
export const METRICS_SETTINGS = some('metrics', 'metricsTokenFile');
export const WEBHOOK_SETTINGS = some('webhookNetworks', 'webhookCa');
/** The settings of a server, besides where its data is. */
export const SERVER_SETTINGS = [
  ...some('baseUrl', 'host', 'port', 'tlsCert', 'tlsKey', 'tlsSelfSigned', 'tlsName'),
  ...some(
    'tlsKeyType',
    'tlsElsewhere',
    'trustedProxy',
    'logLevel',
    'requestTimeoutMs',
    'headersTimeoutMs',
  ),
  ...some('stopTimeoutMs', 'hardwareAlways200', 'deviceFile', 'deviceRetryWindowMs'),
  ...some('keepLogDays', 'keepHoldersDays', ...METRICS_SETTINGS, ...WEBHOOK_SETTINGS),
  ...some('centre', 'siteToken', 'maxAge', 'ca'),
];

function some<Name extends SettingName>(...names: readonly Name[]): readonly Name[] {
  return names;
}

export function settingOf(name: SettingName): Setting {
  const found = SETTINGS.find((one) => one.name === name);
  if (!found) throw new Error(`the setting ${name} does not exist`);
  return found;
}

/** Its option and its variable are named after it. @param value what the option is given, such as `<file>`; empty for a switch */
function setting<
  Name extends string,
  Schema extends z.ZodType,
  Fallback extends Setting['fallback'] = undefined,
>(name: Name, value: string, schema: Schema, description: string, fallback?: Fallback) {
  const words = name.replace(/([A-Z]|\d+)/g, '_$1');
  const environment = `TICKETSCAN_${words.toUpperCase()}`;
  const flag = `--${words.toLowerCase().replaceAll('_', '-')} ${value}`.trimEnd();
  return { name, flag, environment, schema, fallback: fallback as NoInfer<Fallback>, description };
}

function wholeNumber(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`;
  // In the environment and on the command line it is text. Number() would take an empty one, 1e3 and 0x10 as well.
  const digits = z.string().regex(/^\d+$/).transform(Number);
  return z
    .union([z.number(), digits], error)
    .pipe(z.number(error).int(error).min(min, error).max(max, error));
}

function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `one of ${words.join(', ')}`);
}
