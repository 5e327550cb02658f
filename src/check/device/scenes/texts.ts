/** Section 8: exactly the 16 bytes that a display holds, with umlauts. */
export const FULL_NAME = 'Jürgen Größer';
/** Section 8: exactly 32 bytes. */
export const FULL_NOTE = 'Ticket gültig (1/10) Viel Spaß';
/** Section 7.3. */
export const NOTE = 'Ticket gültig (1/10)';
export const NAME = 'Mehrfachkarte';
