import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Ticket } from '../api/http.ts';
import { DeliberateButton, UsesChoice } from '../components/deliberate.tsx';
import { endOfId, holderOf, Name, StateBadge } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';
import type { ScanByHand } from '../scanner/use-scans.ts';
import { Written } from './scan-written.tsx';

/** A ticket as it is found: with the name of its event, where the page knows it. */
export type Guest = Ticket & { readonly eventName?: string };

/** What a scan would say of each state. */
const OUTCOMES = {
  valid: 'validated',
  exhausted: 'exhausted',
  expired: 'expired',
  not_yet_valid: 'not_yet_valid',
  cancelled: 'ticket_cancelled',
} as const;

/** The state of a ticket and what is left of it. */
export function StateAndLeft({ guest }: { guest: Guest }) {
  const { scanner, outcomes } = useTexts();
  const { state, kind, usesRemaining } = guest;
  const good = state === 'not_yet_valid' ? undefined : state === 'valid';
  return (
    <>
      <StateBadge text={outcomes[OUTCOMES[state]]} good={good} />{' '}
      {kind !== 'permanent' && state === 'valid' && <span>{scanner.usesLeft(usesRemaining)}</span>}
    </>
  );
}

/** Whose ticket it is: the name, else the reference, else the end of the id. */
export function GuestName({ guest }: { guest: Guest }) {
  const holder = holderOf(guest);
  const text = holder === '' ? guest.reference : holder;
  return text ? <Name>{text}</Name> : <span className="mono">… {endOfId(guest.ticketId)}</span>;
}

interface SecondLookProps {
  readonly guest: Guest;
  readonly ask: ScanByHand['ask'];
  readonly onBack: () => void;
  readonly back: string;
}

/** A second look at a ticket, then a deliberate act. The focus is on the way back: a key pressed without looking lets nobody in. */
export function SecondLook({ guest, ask, onBack, back }: SecondLookProps) {
  const { scanner } = useTexts();
  const [uses, setUses] = useState(1);
  const { eventName, reference, ticketId, usesRemaining, state } = guest;
  return (
    <div className="second-look">
      <strong className="second-look-name">
        <GuestName guest={guest} />
      </strong>
      <StateAndLeft guest={guest} />
      <Written result={guest} />
      {eventName && <Name>{eventName}</Name>}
      <span className="dimmed">
        {reference && holderOf(guest) !== '' && (
          <>
            <Name>{reference}</Name> ·{' '}
          </>
        )}
        <span className="mono">… {endOfId(ticketId)}</span>
      </span>
      {state === 'valid' && <UsesChoice left={usesRemaining} uses={uses} onChange={setUses} />}
      <div className="form-buttons">
        <Button variant="default" autoFocus data-autofocus onClick={onBack}>
          {back}
        </Button>
        <Button variant="default" onClick={() => ask('validate', 1)}>
          {scanner.validate}
        </Button>
        <DeliberateButton onPress={() => ask('consume', uses)}>{scanner.letIn}</DeliberateButton>
      </div>
    </div>
  );
}
