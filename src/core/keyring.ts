import type { KeyObject } from 'node:crypto';

/** The prefix of a code fixes its algorithm: HMAC-SHA256 cut to 128 bits, or Ed25519. */
export const CODE_FORMATS = ['TS1', 'TS2'] as const;
/** How a code is signed: `TS1` with a secret (58 characters), `TS2` with a key pair, for gates that verify offline. */
export type CodeFormat = (typeof CODE_FORMATS)[number];

/** `active` signs and verifies, `verify-only` verifies older codes, `retired` does neither. */
export type SigningKeyState = 'active' | 'verify-only' | 'retired';

/** A key that signs or verifies codes, with its state: active, verify-only or retired. */
export interface SigningKey {
  readonly id: string;
  readonly format: CodeFormat;
  readonly state: SigningKeyState;
  /** Signs; absent where only the public key of a TS2 pair is known. */
  readonly signingKey: KeyObject | null;
  readonly verifyingKey: KeyObject;
}

/** The signing keys of a service; see `openKeyring`. */
export type Keyring = readonly SigningKey[];
