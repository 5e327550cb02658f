// The member is missing in older Nodes, which must still be able to load this and be refused (ADR 0081).
import tls, { createSecureContext, type SecureContext } from 'node:tls';

const contexts = new Map<string, SecureContext>();

/**
 * Options for a TLS connection that trusts certificates besides the usual authorities; `ca` alone would replace those.
 * Reading all authorities takes milliseconds, so it is done once for each text and not for each connection.
 * @param ca PEM text; undefined changes nothing
 * @throws Error when it is not PEM
 */
export function trusting(ca: string | undefined): { secureContext?: SecureContext } {
  if (ca === undefined) return {};
  let secureContext = contexts.get(ca);
  if (secureContext === undefined) {
    secureContext = createSecureContext({ ca: [...tls.getCACertificates(), ca] });
    contexts.set(ca, secureContext);
  }
  return { secureContext };
}
