import { CliFolder, type RunningServe, targetOf } from './cli.ts';

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
    made.target = targetOf(await cli.json(['seed', '--count', String(count)]));
    made.restKey = made.target.keys['rest'] ?? '';
    const account = ['accounts', 'create', '--name', 'ada', '--role', 'owner'];
    await cli.run([...account, '--password', 'env:PW'], { PW: PASSWORD });
    made.server = await cli.serve();
    const cookie = await signIn(made.server.url);
    const wanted = { name: 'cli', role: 'owner' };
    const created = await postAdmin(made.server.url, '/access-tokens', wanted, cookie);
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

/** Signs `ada` in, and returns the cookie of the session. */
export async function signIn(url: string): Promise<string> {
  const answer = await postAdmin(url, '/sessions', { name: 'ada', password: PASSWORD });
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

/** A request to the admin API, as the page sends it. */
export function postAdmin(
  url: string,
  path: string,
  body: object,
  cookie?: string,
): Promise<Response> {
  return fetch(`${url}/admin/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, ...(cookie && { cookie }) },
    body: JSON.stringify(body),
  });
}
