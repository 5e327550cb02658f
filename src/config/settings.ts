import * as z from 'zod';
import { readProxies } from './trusted-proxies.ts';

export interface Setting {
  /** In a configuration file. */
  readonly name: string;
  /** On the command line, with its value's name; without one it is a switch. */
  readonly flag: string;
  readonly environment: string;
  readonly schema: z.ZodType;
  readonly fallback: string | number | boolean | undefined;
  /** One sentence with the unit. */
  readonly description: string;
}

const port = z.coerce.number().int().min(0).max(65535);
const milliseconds = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const text = z.string().min(1);
const boolean = z.union([z.boolean(), z.stringbool()]);
const proxies = text.refine((list) => readProxies(list) !== undefined, {
  error: 'expected addresses or networks such as 10.0.0.5,192.168.7.0/24',
});
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
  .refine((text) => !/[?#]/.test(text), 'expected an address without a query (?) or fragment (#)');

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
    'where tickets, keys and the scan log live: sqlite:FILE, json:FILE, postgres://USER@HOST/DATABASE or memory:',
  ),
  setting(
    'url',
    '--url <url>',
    baseUrl,
    undefined,
    'work through the admin API of the server there, instead of on a store',
  ),
  setting(
    'token',
    '--token <token>',
    text,
    undefined,
    'access token for --url, as env:NAME or file:PATH',
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
    'address under which clients reach the service, with its path, for the URLs of devices (default: from host, port and certificate)',
  ),
  setting(
    'tlsCert',
    '--tls-cert <file>',
    text,
    undefined,
    'certificate chain (PEM) to serve HTTPS with',
  ),
  setting('tlsKey', '--tls-key <file>', text, undefined, 'its private key (PEM)'),
  setting(
    'tlsSelfSigned',
    '--tls-self-signed',
    boolean,
    false,
    "serve HTTPS with a self-signed certificate, made once and kept beside the store's file",
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
    'addresses and networks of the proxies in front, separated by commas: X-Forwarded-For of these is believed, and of nobody else',
  ),
  setting(
    'logLevel',
    '--log-level <level>',
    z.enum(['debug', 'info', 'warn', 'error', 'silent']),
    'info',
    'least important log line: debug (every request), info, warn (requests that were refused), error or silent',
  ),
  setting(
    'requestTimeoutMs',
    '--request-timeout-ms <ms>',
    milliseconds(100, 600_000),
    10_000,
    'a whole request must have arrived within this time (milliseconds)',
  ),
  setting(
    'headersTimeoutMs',
    '--headers-timeout-ms <ms>',
    milliseconds(100, 600_000),
    5000,
    'the head of a request must have arrived within this time (milliseconds)',
  ),
  setting(
    'stopTimeoutMs',
    '--stop-timeout-ms <ms>',
    milliseconds(0, 600_000),
    5000,
    'when stopping, unfinished requests are cut off after this time (milliseconds)',
  ),
  setting(
    'hardwareAlways200',
    '--hardware-always-200',
    boolean,
    false,
    'answer devices with HTTP 200 whatever the decision, for controllers that ignore any other body',
  ),
  setting(
    'deviceRetryWindowMs',
    '--device-retry-window-ms <ms>',
    milliseconds(0, 3_600_000),
    0,
    'a device with a serial that posts the same card again within this time gets the first answer again and spends nothing; 0 is off (milliseconds)',
  ),
] as const satisfies readonly Setting[];

export interface Settings {
  store: string;
  url: string | undefined;
  token: string | undefined;
  keyring: string | undefined;
  host: string;
  port: number;
  baseUrl: string | undefined;
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  tlsSelfSigned: boolean;
  tlsElsewhere: boolean;
  trustedProxy: string | undefined;
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  requestTimeoutMs: number;
  headersTimeoutMs: number;
  stopTimeoutMs: number;
  hardwareAlways200: boolean;
  deviceRetryWindowMs: number;
}

export type SettingName = keyof Settings;

export function settingOf(name: SettingName): Setting {
  const found = SETTINGS.find((one) => one.name === name);
  if (!found) throw new Error(`there is no setting ${name}`);
  return found;
}

function setting<Name extends string>(
  name: Name,
  flag: string,
  schema: z.ZodType,
  fallback: Setting['fallback'],
  description: string,
): Setting & { readonly name: Name } {
  const environment = `TICKETSCAN_${name.replace(/([A-Z]|\d+)/g, '_$1').toUpperCase()}`;
  return { name, flag, environment, schema, fallback, description };
}
