import { isIP } from 'node:net';
import * as z from 'zod';
import { readProxies } from '../kit/client-address.ts';
import { HOUR_MS } from '../kit/durations.ts';

export interface Setting {
  /** In a configuration file. */
  readonly name: string;
  /** On the command line, with its value's name; without one it is a switch. */
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
const places = z
  .union([text.transform((list) => list.split(',')), z.array(text)])
  .refine((list) => list.length > 0 && list.every((one) => one.trim() !== ''), {
    error: 'one or several texts that are not empty',
  });
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https URL' })
  .refine((text) => !/[?#]/.test(text), 'an address without a query (?) or fragment (#)');

/**
 * Every setting, its default and its unit, once: the options of commands, the environment, the configuration file and
 * docs/configuration.md all come from here.
 */
export const SETTINGS = [
  setting(
    'store',
    '--store <url>',
    text,
    'sqlite:./ticketscan.db',
    'where tickets, keys and the scan log are stored: sqlite:FILE, json:FILE, postgres://USER@HOST/DATABASE or memory:',
  ),
  setting(
    'url',
    '--url <url>',
    baseUrl,
    undefined,
    'use the admin API of this server instead of a store',
  ),
  setting(
    'token',
    '--token <token>',
    text,
    undefined,
    'access token for --url, as env:NAME or file:PATH',
  ),
  setting(
    'ca',
    '--ca <file>',
    text,
    undefined,
    'PEM file with certificates to trust besides the usual authorities',
  ),
  setting(
    'keyring',
    '--keyring <file>',
    text,
    undefined,
    "the signing keys (default: ticketscan.keyring.json beside the store's file; for Postgres in the working folder)",
  ),
  setting('host', '--host <address>', text, '127.0.0.1', 'address to listen on'),
  setting('port', '--port <number>', port, 8080, 'TCP port; 0 picks a free one'),
  setting(
    'baseUrl',
    '--base-url <url>',
    baseUrl,
    undefined,
    'address that clients use to reach the service, with its path, for the URLs of devices (default: from host, port and certificate)',
  ),
  setting('tlsCert', '--tls-cert <file>', text, undefined, 'certificate chain (PEM) for HTTPS'),
  setting('tlsKey', '--tls-key <file>', text, undefined, 'its private key (PEM)'),
  setting(
    'tlsSelfSigned',
    '--tls-self-signed',
    boolean,
    false,
    "serve HTTPS with a self-signed certificate, created once and kept beside the store's file",
  ),
  setting(
    'tlsName',
    '--tls-name <list>',
    names,
    undefined,
    'names and addresses in the self-signed certificate, separated by commas (default: those of this machine)',
  ),
  setting(
    'tlsElsewhere',
    '--tls-elsewhere',
    boolean,
    false,
    'serve plain HTTP on any address, because TLS ends at a proxy in front',
  ),
  setting(
    'trustedProxy',
    '--trusted-proxy <list>',
    proxies,
    undefined,
    'addresses and networks of the proxies in front, separated by commas: only their X-Forwarded-For is read',
  ),
  setting(
    'logLevel',
    '--log-level <level>',
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    'info',
    'lowest level that is logged: debug (every request), info, warn (refused requests), error or silent',
  ),
  setting(
    'firstSignIn',
    '--first-sign-in <file>',
    text,
    undefined,
    'where serve writes how to sign in for the first time: a file for its owner only, instead of stderr',
  ),
  setting(
    'requestTimeoutMs',
    '--request-timeout-ms <ms>',
    milliseconds(100, 600_000),
    10_000,
    'time limit for a complete request to arrive (milliseconds)',
  ),
  setting(
    'headersTimeoutMs',
    '--headers-timeout-ms <ms>',
    milliseconds(100, 600_000),
    5000,
    'time limit for the head of a request to arrive (milliseconds)',
  ),
  setting(
    'stopTimeoutMs',
    '--stop-timeout-ms <ms>',
    milliseconds(0, 600_000),
    5000,
    'when stopping, unfinished requests are aborted after this time (milliseconds)',
  ),
  setting(
    'keepLogDays',
    '--keep-log-days <days>',
    days,
    undefined,
    'log entries older than this are removed once a day; counters stay (days; without it, nothing is removed)',
  ),
  setting(
    'keepHoldersDays',
    '--keep-holders-days <days>',
    days,
    undefined,
    'names of holders are erased so long after their ticket ended, once a day (days; without it, nothing is erased)',
  ),
  setting(
    'hardwareAlways200',
    '--hardware-always-200',
    boolean,
    false,
    'answer devices with HTTP 200 whatever the decision, for controllers that read only the body of a 200',
  ),
  {
    ...setting(
      'deviceFile',
      '--device-file <file>',
      places,
      undefined,
      'device file (YAML), or a folder of them, or control-id or akuvox, once or several times: hardware keys can then be bound to these devices with keys edit --device NAME',
    ),
    repeats: true,
  },
  setting(
    'metrics',
    '--metrics <host:port>',
    text,
    undefined,
    'serve metrics for Prometheus at http://HOST:PORT/metrics, an address of their own (default: off)',
  ),
  setting(
    'metricsTokenFile',
    '--metrics-token-file <file>',
    text,
    undefined,
    'file with a token that readers of --metrics send as Authorization: Bearer; required beyond loopback',
  ),
  setting(
    'webhookNetworks',
    '--webhook-networks <list>',
    proxies,
    undefined,
    'addresses and networks that webhooks may reach besides public ones, separated by commas, such as 10.0.0.0/8',
  ),
  setting(
    'webhookCa',
    '--webhook-ca <file>',
    text,
    undefined,
    'PEM file with certificates to trust for webhooks besides the usual authorities',
  ),
  setting(
    'deviceRetryWindowMs',
    '--device-retry-window-ms <ms>',
    milliseconds(0, HOUR_MS),
    0,
    'a device with a serial that posts the same card again within this time gets the first answer again and no use is taken; 0 is off (milliseconds)',
  ),
] as const satisfies readonly Setting[];

/** The value of each setting; undefined where it has no default and nothing sets it. */
export type Settings = {
  readonly [One in (typeof SETTINGS)[number] as One['name']]:
    | z.output<One['schema']>
    | (One['fallback'] extends undefined ? undefined : never);
};

export type SettingName = keyof Settings;

/** Under which address devices and browsers reach the service. */
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
/** Of a server, besides where its data is. */
export const SERVER_SETTINGS = [
  ...some('baseUrl', 'host', 'port', 'tlsCert', 'tlsKey', 'tlsSelfSigned', 'tlsName'),
  ...some('tlsElsewhere', 'trustedProxy', 'logLevel', 'requestTimeoutMs', 'headersTimeoutMs'),
  ...some('stopTimeoutMs', 'hardwareAlways200', 'deviceFile', 'deviceRetryWindowMs'),
  ...some('keepLogDays', 'keepHoldersDays', ...METRICS_SETTINGS, ...WEBHOOK_SETTINGS),
];

function some<Name extends SettingName>(...names: readonly Name[]): readonly Name[] {
  return names;
}

export function settingOf(name: SettingName): Setting {
  const found = SETTINGS.find((one) => one.name === name);
  if (!found) throw new Error(`the setting ${name} does not exist`);
  return found;
}

function setting<
  Name extends string,
  Schema extends z.ZodType,
  Fallback extends Setting['fallback'],
>(name: Name, flag: string, schema: Schema, fallback: Fallback, description: string) {
  const environment = `TICKETSCAN_${name.replace(/([A-Z]|\d+)/g, '_$1').toUpperCase()}`;
  return { name, flag, environment, schema, fallback, description };
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
