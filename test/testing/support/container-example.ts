import { CliFolder } from '../../support/cli.ts';

/** The token of tests that show it to nobody. */
export const TOKEN = 'given-0123456789abcdefghij';
export const TOKEN_VARIABLE = 'TICKETSCAN_TEST_CONTROLS_TOKEN';

/**
 * Starts the service as in a container: another process, called by an address of the network.
 * @returns the environment of the examples, and what ends the service
 */
export async function serveAsContainer() {
  const folder = new CliFolder();
  const args = ['--store', 'memory:', '--host', '0.0.0.0', '--tls-elsewhere'];
  const { firstLine } = await folder.serve(args, ['env', `${TOKEN_VARIABLE}=${TOKEN}`]);
  const [here = '', network] = firstLine['urls'] as string[];
  const url = network ?? here.replace('127.0.0.1', '127.0.0.2');
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    TICKETSCAN_TEST_URL: url,
    [TOKEN_VARIABLE]: TOKEN,
  };
  return { env, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}
