import { Button, NativeSelect } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { NAME_CHARACTERS_MAX } from '../../core/limits.ts';
import { machineZone } from '../../core/machine-zone.ts';
import type { CreatedKey, Event, Key, TicketWithCode } from '../api/http.ts';
import { useChange, useVenueName } from '../api/use-api.tsx';
import { CreateButton, Opened } from '../components/dialogs.tsx';
import { choicesOf, useDraft } from '../components/fields.tsx';
import { FormFailure } from '../components/form-failure.tsx';
import { PeopleText } from '../components/people-text.tsx';
import { StateBadge } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { zoneChoices } from '../i18n/formats.ts';
import { useLanguage } from '../i18n/language.tsx';
import { EventForm } from './events.tsx';
import { CreatedKeyModal } from './key-values.tsx';
import { CreateKey } from './keys.tsx';
import { CreatedTickets, CreateTickets } from './new-tickets.tsx';

interface FirstStepsProps {
  readonly events: readonly Event[];
  readonly keys: readonly Key[];
  /** Whether anything was scanned yet. */
  readonly isScanned: boolean;
}

/** What a new venue needs up to its first guest, one step after the other; gone when that was there. */
export function FirstSteps({ events, keys, isScanned }: FirstStepsProps) {
  const texts = useDeskTexts();
  const { firstSteps } = texts;
  const [key, setKey] = useState<CreatedKey>();
  const [created, setCreated] = useState<readonly TicketWithCode[]>();
  const steps = [
    {
      text: firstSteps.event,
      isDone: events.length > 0,
      button: <CreateButton text={texts.events.create} dialog={<EventForm />} />,
    },
    {
      text: firstSteps.gate,
      isDone: keys.length > 0,
      button: (
        <CreateButton
          text={texts.keys.create}
          dialog={<CreateKey type="hardware" onCreated={setKey} />}
        />
      ),
    },
    {
      text: firstSteps.ticket,
      isDone: events.some(({ tickets }) => tickets.total > 0),
      button: (
        <CreateButton
          text={texts.tickets.create}
          dialog={<CreateTickets eventId="" onCreated={setCreated} />}
        />
      ),
    },
    {
      text: firstSteps.guest,
      isDone: isScanned,
      button: <Link href="/scanner">{firstSteps.scan}</Link>,
    },
  ];
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <>
      {next && <StepList steps={steps} next={next} />}
      <Opened value={() => setKey(undefined)}>{key && <CreatedKeyModal created={key} />}</Opened>
      <Opened value={() => setCreated(undefined)}>
        {created && <CreatedTickets created={created} />}
      </Opened>
    </>
  );
}

interface Step {
  readonly text: string;
  readonly isDone: boolean;
  readonly button: ReactNode;
}

function StepList({ steps, next }: { readonly steps: readonly Step[]; readonly next: Step }) {
  const { firstSteps } = useDeskTexts();
  const isUnnamed = useVenueName() === undefined;
  return (
    <section className="panel first-steps">
      <h2>{firstSteps.title}</h2>
      {isUnnamed && <VenueForm />}
      <ol>
        {steps.map((step) => (
          <li key={step.text}>
            <span>{step.text}</span> {step.isDone && <StateBadge good text={firstSteps.done} />}
            {step === next && step.button}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Asks what the venue is called, and proposes language and time zone of the browser. */
function VenueForm() {
  const { firstSteps, settings, paper, general } = useDeskTexts();
  const { language } = useLanguage();
  const { draft, field } = useDraft({ name: '', timeZone: machineZone(), language });
  const change = useChange('PATCH /organisation', 'sessions');
  const { name, timeZone } = draft;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ name, timeZone, sheets: { language: draft.language } });
  };
  return (
    <form className="filters" onSubmit={onSubmit}>
      <PeopleText
        required
        label={firstSteps.venue}
        charactersMax={NAME_CHARACTERS_MAX}
        {...field('name')}
      />
      <NativeSelect
        label={settings.timeZone}
        data={zoneChoices(undefined)}
        {...field('timeZone')}
      />
      <NativeSelect
        label={firstSteps.language}
        data={choicesOf(['en', 'de'], paper.languages)}
        {...field('language')}
      />
      <Button type="submit" loading={change.isPending}>
        {general.save}
      </Button>
      {change.error && <FormFailure error={change.error} />}
    </form>
  );
}
