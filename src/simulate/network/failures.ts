import type { WireFailure } from '../wire.ts';
import type { Endpoint } from './endpoint.ts';

const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_UNTRUSTED)$/;
const NO_ROUTE = /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/;

/**
 * Says what a socket error means and what to do about it.
 * @param connected whether the connection had come about
 */
export function explainFailure(
  error: NodeJS.ErrnoException,
  endpoint: Endpoint,
  connected: boolean,
): WireFailure {
  const code = error.code ?? '';
  if (connected) {
    const message = `the connection to ${endpoint.shownUrl} was lost (${code || error.message})`;
    return { kind: 'broken', message };
  }
  return { kind: 'unreachable', message: unreachable(error, code, endpoint) };
}

function unreachable(error: Error, code: string, { host, port, shownUrl }: Endpoint): string {
  if (code === 'ECONNREFUSED') {
    return `nothing listens at ${shownUrl} (connection refused): is the server running, and is ${port} its port?`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `the name "${host}" cannot be resolved (${code}): check the spelling and the DNS`;
  }
  if (UNTRUSTED.test(code)) {
    return `the certificate of ${shownUrl} is not trusted (${code}): give its issuer with --tls-ca FILE`;
  }
  if (code === 'CERT_HAS_EXPIRED') return `the certificate of ${shownUrl} has expired`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `the certificate of ${shownUrl} is for another name than "${host}"`;
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return `${shownUrl} does not speak TLS (${code}): is it http:// instead of https://?`;
  }
  if (NO_ROUTE.test(code)) return `no route to ${shownUrl} (${code}): check the network`;
  if (code === 'EMFILE')
    return 'too many open connections (EMFILE): raise the limit with ulimit -n';
  return `no connection to ${shownUrl} (${code || error.message})`;
}
