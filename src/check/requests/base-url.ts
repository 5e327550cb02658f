import { pastedEndpoint } from '../../kit/base-address.ts';
import { asSentence } from '../../kit/failures.ts';
import { proxyFor } from '../../kit/proxies.ts';
import { refusedAddress } from '../../kit/secrets.ts';
import { CheckUsageError } from '../deployment/target.ts';

/**
 * The base address, which must be HTTPS unless it is this machine or plain HTTP was asked for (section 1).
 * @throws CheckUsageError saying what to do
 */
export function readBaseUrl(value: string | URL | undefined, insecureHttp: boolean): URL {
  if (value === undefined || value === '') {
    throw new CheckUsageError(
      'Which service? Give its address (ticketscan check https://scan.example.org), or a target file with a "baseUrl" (--target FILE; ticketscan check init writes one).',
    );
  }
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    throw new CheckUsageError(
      `"${refusedAddress(String(value))}" is not an address such as https://scan.example.org`,
    );
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new CheckUsageError(
      `"${refusedAddress(String(value))}" is not a web address: it must begin with https://`,
    );
  }
  const pasted = pastedEndpoint(url);
  if (pasted !== undefined) throw new CheckUsageError(pasted);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new CheckUsageError('A base address must not have a user, password, query or fragment.');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !insecureHttp) {
    throw new CheckUsageError(
      `${url.origin} is plain HTTP, which would show the keys to the network. Use https:// or, if you accept that, --insecure-http.`,
    );
  }
  refuseWrongProxy(url);
  return url;
}

/** @throws CheckUsageError where a variable names no proxy for the address */
function refuseWrongProxy(url: URL): void {
  try {
    proxyFor(url);
  } catch (error) {
    throw new CheckUsageError(asSentence(error instanceof Error ? error.message : String(error)));
  }
}

/** True for an address that never leaves this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}
