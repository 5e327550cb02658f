/** A statement that no case covers, and why a checker outside cannot. */
export interface NotCheckable {
  readonly section: string;
  readonly statement: string;
  readonly reason: string;
}

/** What the specification states and `check` does not check. The page of cases that comes with a release lists it. */
export const NOT_CHECKABLE: readonly NotCheckable[] = [
  {
    section: '1',
    statement: 'Answers are immediate, in real time.',
    reason: 'The specification gives no number; the times are reported.',
  },
  {
    section: '1',
    statement: 'Requests to the service use HTTPS.',
    reason:
      'The checker refuses a plain HTTP address of another machine unless --insecure-http is given, and warns where plain HTTP answers beside an HTTPS address. It cannot know whether plain HTTP is open at other ports or addresses, or what others use.',
  },
  {
    section: '2.1',
    statement:
      'A key has a name, an integration type, an event scope and an active flag; its value is shown once; hardware keys come with two URLs.',
    reason: 'Keys are managed in a dashboard, which is not part of the scan endpoints.',
  },
  {
    section: '2.2',
    statement: 'The event of a ticket is derived from the ticket code.',
    reason: 'How a server finds the event is not visible; the checker tests that the scope holds.',
  },
  {
    section: '2.3',
    statement: 'validFrom and validUntil take effect at their moment.',
    reason:
      'A run would have to wait for that time; tickets before, in and after their window are checked.',
  },
  {
    section: '2.4',
    statement: 'The device model is detected automatically.',
    reason: 'Only one model is documented; the answers to others are reported.',
  },
  {
    section: '3.1',
    statement:
      'A key that is disabled, enabled, renamed, scoped or deleted changes at once, on every server of a deployment.',
    reason:
      'With hooks or an access token it is checked on the server that answers; without them keys in those states are checked. Which of several servers answers cannot be chosen.',
  },
  {
    section: '3.2',
    statement: 'A permanent card is exhausted after 9999 uses.',
    reason: 'It would take 9999 scans; the checker tests that its uses count.',
  },
  {
    section: '4.6',
    statement: 'Own software opens only when valid is true; a device opens only on AcsRes "1".',
    reason: 'This is behaviour of the client, not of the service.',
  },
  {
    section: '7.1',
    statement: '500 for an unexpected error.',
    reason:
      'An unexpected error cannot be caused; the checker tests that no expected request gets one.',
  },
  {
    section: '7.2',
    statement: 'After a 429 a client waits and tries again.',
    reason: 'This is behaviour of the client, not of the service.',
  },
  {
    section: '7.3',
    statement: 'An internal error shows `Serverfehler`.',
    reason: 'An internal error cannot be caused.',
  },
  {
    section: '7.3',
    statement: 'The device keeps the door locked, shows Note, and waits for the configured time.',
    reason: 'This is behaviour of the device, not of the service.',
  },
  {
    section: '8',
    statement: '500,000 requests a month for each key.',
    reason: 'It would take 500,000 requests.',
  },
  {
    section: '8',
    statement: '3 API keys for each organisation.',
    reason: 'Keys are created in a dashboard; filling the organisation up would lock others out.',
  },
];
