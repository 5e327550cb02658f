/** A statement that no case covers, and why a checker outside cannot. */
export interface NotCheckable {
  readonly section: string;
  readonly statement: string;
  readonly reason: string;
}

/** What the specification states and `check` does not check. docs/check-cases.md lists it. */
export const NOT_CHECKABLE: readonly NotCheckable[] = [
  {
    section: '1',
    statement: 'Answers are immediate, in real time.',
    reason: 'No number is given; the times are reported.',
  },
  {
    section: '1',
    statement: 'Requests to the service use HTTPS.',
    reason:
      'The checker refuses a plain HTTP address of another machine unless --insecure-http is given, and warns where plain HTTP answers beside an HTTPS address. Whether it is open at other ports or addresses, and what others use, it cannot know.',
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
    reason: 'How a server finds the event is its own affair; that the scope holds is checked.',
  },
  {
    section: '2.3',
    statement: 'validFrom and validUntil take effect at their moment.',
    reason:
      'A run would have to wait for it; tickets before, in and after their window are checked.',
  },
  {
    section: '2.4',
    statement: 'The device model is detected automatically.',
    reason: 'Only one model is documented; what others get is reported.',
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
    reason: 'It would take 9999 scans; that its uses count is checked.',
  },
  {
    section: '7.1',
    statement: '500 for an unexpected error.',
    reason:
      'An unexpected error cannot be asked for; that no expected request gets one is checked.',
  },
  {
    section: '7.3',
    statement: 'An internal error shows `Serverfehler`.',
    reason: 'An internal error cannot be asked for.',
  },
  {
    section: '7.3',
    statement:
      'The device keeps the door locked, shows Note, and waits as long as it is configured to.',
    reason: 'That is the device, not the service.',
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
