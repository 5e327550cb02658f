import { CliFolder, type RunningServe } from './cli.ts';

export const PASSWORD = 'owner password 1';
/** A seeded store, a server on it, and an owner's access token for that. */
export class RemoteFolder implements AsyncDisposable {
  readonly cli = new CliFolder();
  server!: RunningServe;
  token = '';
  restKey = '';
  /** The target file of the seeded store. */
  target: { keys: Record<string, string>; tickets: Record<string, string[]> } = {
    keys: {},
    tickets: {},
  };

  /** @param count of tickets in each state */
  static async start(count = 2): Promise<RemoteFolder> {
    const made = new RemoteFolder();
    const { cli } = made;
    made.target = await cli.json(['seed', '--count', String(count)]);
    made.restKey = made.target.keys['rest'] ?? '';
    const account = ['accounts', 'create', '--name', 'ada', '--role', 'owner'];
    await cli.run([...account, '--password', 'env:PW'], { PW: PASSWORD });
    made.server = await cli.serve();
    const post = (path: string, body: object, headers: object = {}) =>
      fetch(`${made.server.url}/admin/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: made.server.url, ...headers },
        body: JSON.stringify(body),
      });
    const signIn = await post('/sessions', { name: 'ada', password: PASSWORD });
    const cookie = signIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const created = await post('/access-tokens', { name: 'cli', role: 'owner' }, { cookie });
    made.token = ((await created.json()) as { token: string }).token;
    return made;
  }

  get environment(): Record<string, string> {
    return { TICKETSCAN_URL: this.server.url, TICKETSCAN_TOKEN: this.token };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cli[Symbol.asyncDispose]();
  }
}
