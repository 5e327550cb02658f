import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** The environment variable that tells tests, and the commands that they start, where to ask. */
export const SOCKET_VARIABLE = 'TICKETSCAN_TEST_ON_DEMAND';

const FAILED = 'failed: ';

/**
 * Asks the test runner for something that it starts on first use: `postgres` gives the URL of a server, `program NAME` the path of
 * the socket of a warm program.
 * @returns undefined where no test runner is above this process
 * @throws Error when it could not be started
 */
export async function askTestRunner(request: string): Promise<string | undefined> {
  const path = process.env[SOCKET_VARIABLE];
  if (path === undefined) return undefined;
  const socket = connect(path);
  await once(socket, 'connect');
  socket.write(`${request}\n`);
  const answer = await text(socket);
  if (answer.startsWith(FAILED)) throw new Error(answer.slice(FAILED.length));
  return answer;
}
