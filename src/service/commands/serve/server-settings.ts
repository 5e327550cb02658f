import type { Settings } from '../../../config/settings.ts';
import type { VaryOptions } from '../../../testing/vary/variations.ts';
import { METRICS_SETTINGS } from './metrics-address.ts';
import { WEBHOOK_SETTINGS } from './webhook-network.ts';

export const SERVER_SETTINGS = [
  'baseUrl',
  'host',
  'port',
  'tlsCert',
  'tlsKey',
  'tlsSelfSigned',
  'tlsName',
  'tlsElsewhere',
  'trustedProxy',
  'logLevel',
  'requestTimeoutMs',
  'headersTimeoutMs',
  'stopTimeoutMs',
  'hardwareAlways200',
  'deviceFile',
  'deviceRetryWindowMs',
  'keepLogDays',
  'keepHoldersDays',
  ...METRICS_SETTINGS,
  ...WEBHOOK_SETTINGS,
] as const;

export interface ServerSettings extends Pick<Settings, (typeof SERVER_SETTINGS)[number] | 'store'> {
  /** Lets tests drive the server over HTTP (docs/testing.md); false by default. */
  readonly testControls?: boolean;
  /** The token of the test controls; without it they make one and answer this machine only. */
  readonly testToken?: string | undefined;
  /** Answers differ from the usual ones as the specification allows (docs/testing.md). */
  readonly vary?: VaryOptions | undefined;
}
