import { delimiter, resolve } from 'node:path';

/** The environment that npm gives to scripts: what tests start must find the Node of this checkout, whatever the machine has. */
export const CHECKOUT_ENVIRONMENT: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [resolve('node_modules/.bin'), process.env['PATH']].join(delimiter),
};
