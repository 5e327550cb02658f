import { randomBytes } from 'node:crypto';
import type { Role } from '../../../src/core/administrative-records.ts';
import type { AccountRecord } from '../../../src/features/accounts/account-records.ts';
import { Passwords } from '../../../src/features/accounts/passwords.ts';
import { Accounts } from '../../../src/features/accounts/rules.ts';
import { COMMAND_LINE } from '../../../src/features/actor.ts';
import { AdminClient as TokenClient } from '../../../src/operations/admin-client.ts';
import { CHEAP_PASSWORDS, type TestService } from '../../support/service.ts';

export const PASSWORD = 'correct horse battery';

/** The identifier in a code. */
export const idOf = (code: string) => code.split('.')[1] ?? '';

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whatever came over the wire
  readonly json: any;
}

/** What accounts need of a service, with passwords that take no time. */
export function accountsDeps({ store, clock }: TestService) {
  return { store, clock, random: randomBytes, passwords: new Passwords(CHEAP_PASSWORDS) };
}

/** The accounts as the command line changes them. */
export function accountsOf(service: TestService, store = service.store): Accounts {
  return new Accounts({ ...accountsDeps(service), store }, COMMAND_LINE);
}

export async function makeAccount(
  service: TestService,
  name: string,
  role: Role,
  organisationId?: string,
  events?: readonly string[],
): Promise<AccountRecord> {
  const owner = organisationId ?? (await service.administration.organisations.first()).id;
  const options = { name, role, events, organisationId: owner, password: PASSWORD };
  return accountsOf(service).create(options);
}

/** What a browser on the dashboard's page sends, with the cookie that it was given. */
export class AdminClient {
  readonly #url: string;
  cookie: string | undefined;
  /** What proves to the server that this browser has signed in before. */
  deviceCookie: string | undefined;
  /** What a phone holds while its pairing waits. */
  pairingCookie: string | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  static async signedIn(
    service: TestService,
    role: Role = 'owner',
    organisationId?: string,
  ): Promise<AdminClient> {
    const name = `${role} ${randomBytes(4).toString('hex')}`;
    await makeAccount(service, name, role, organisationId);
    const client = new AdminClient(service.url);
    const { status, text } = await client.signIn(name);
    if (status !== 201) throw new Error(`sign-in answered ${status}: ${text}`);
    return client;
  }

  async signIn(name: string, password = PASSWORD): Promise<AdminAnswer> {
    const answer = await this.request('POST', '/sessions', { name, password });
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
    this.cookie =
      cookies.find((cookie) => /^(?:__Host-)?ticketscan=/.test(cookie ?? '')) ?? this.cookie;
    this.deviceCookie = cookies.find((cookie) => cookie?.includes('-device-')) ?? this.deviceCookie;
    return answer;
  }

  get #cookies(): string {
    return [this.cookie, this.deviceCookie, this.pairingCookie].filter(Boolean).join('; ');
  }

  get(path: string): Promise<AdminAnswer> {
    return this.request('GET', path);
  }

  post(path: string, body?: unknown): Promise<AdminAnswer> {
    return this.request('POST', path, body);
  }

  patch(path: string, body: unknown): Promise<AdminAnswer> {
    return this.request('PATCH', path, body);
  }

  delete(path: string): Promise<AdminAnswer> {
    return this.request('DELETE', path);
  }

  /** @param headers take the place of what the page would send; undefined leaves one out */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | undefined> = {},
  ): Promise<AdminAnswer> {
    const all: Record<string, string | undefined> = {
      origin: this.#url,
      cookie: this.#cookies || undefined,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    const sent = Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const response = await fetch(`${this.#url}/admin/v1${path}`, {
      method,
      headers: Object.fromEntries(sent),
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  }
}

/** Calls operations as the command line does, with an access token of the owner. */
export async function callWithToken(at: { service: TestService; owner: AdminClient }) {
  const { token } = (await at.owner.post('/access-tokens', { name: 'cli', role: 'owner' })).json;
  return new TokenClient(at.service.url, token).call;
}

/** What a script sends with an access token, from no page. */
export function withToken(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, origin: undefined };
  return (method: string, path: string, body?: unknown) =>
    new AdminClient(url).request(method, path, body, headers);
}

/** A phone that has scanned the QR code of a pairing, and waits. @param phone what works already, or a new one */
export async function redeemAsPhone(
  url: string,
  token: string,
  name = 'Phone',
  phone = new AdminClient(url),
): Promise<{ phone: AdminClient; answer: AdminAnswer }> {
  const answer = await phone.post('/redemptions', { token, name });
  phone.pairingCookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0];
  return { phone, answer };
}

/** What the page does once the dashboard has confirmed: its session begins. */
export async function beginPhoneSession(phone: AdminClient): Promise<AdminAnswer> {
  const answer = await phone.post('/redemptions/current');
  const [session] = answer.headers.getSetCookie();
  if (answer.status !== 200) return answer;
  phone.cookie = session?.split(';', 1)[0];
  phone.pairingCookie = undefined;
  return answer;
}

/** A phone that scans for the account of `client`. */
export async function pairedPhone(client: AdminClient, url: string, name = 'Phone') {
  const { id, token } = (await client.post('/pairings', {})).json;
  const { phone } = await redeemAsPhone(url, token, name);
  const { status, text } = await client.post(`/pairings/${id}/confirm`);
  if (status !== 200) throw new Error(`the confirmation answered ${status}: ${text}`);
  await beginPhoneSession(phone);
  return phone;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
