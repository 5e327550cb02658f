import { constants } from 'node:crypto';

/**
 * How every server of this program speaks TLS; a new certificate is set with it, too. A client of TLS 1.2 may not begin anew on an open
 * connection: that costs the server far more than the client, and no device needs it.
 */
export const SERVED_TLS = { secureOptions: constants.SSL_OP_NO_RENEGOTIATION };

/** The kinds of keys of a certificate that this program makes. */
export const TLS_KEY_TYPES = ['ec', 'rsa'] as const;
export type TlsKeyType = (typeof TLS_KEY_TYPES)[number];
