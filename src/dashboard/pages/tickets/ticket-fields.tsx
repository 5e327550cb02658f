import { Alert, NativeSelect, TextInput } from '@mantine/core';
import { USES_MULTI_MAX } from '../../../core/limits.ts';
import type { Event } from '../../api/types.ts';
import { NumberField } from '../../components/number-field.tsx';
import { useTexts } from '../../i18n/language.tsx';
import type { TicketDraft } from './ticket-draft.ts';

interface TicketFieldsProps {
  readonly draft: TicketDraft;
  readonly events: readonly Event[];
  readonly onChange: (draft: TicketDraft) => void;
}

const COUNT_MAX = 1000;

/** Kind, number, holder and window of new tickets (section 2.2). */
export function TicketFields({ draft, events, onChange }: TicketFieldsProps) {
  const { tickets } = useTexts();
  const kinds = (['single', 'multi', 'permanent'] as const).map((value) => ({
    value,
    label: tickets[value],
  }));
  return (
    <>
      <NativeSelect
        label={tickets.event}
        data={events.map(({ id, name }) => ({ value: id, label: name }))}
        value={draft.event}
        onChange={(change) => onChange({ ...draft, event: change.currentTarget.value })}
      />
      <NativeSelect
        label={tickets.type}
        description={draft.type === 'permanent' && tickets.permanentHelp}
        data={kinds}
        value={draft.type}
        onChange={(change) =>
          onChange({ ...draft, type: change.currentTarget.value as TicketDraft['type'] })
        }
      />
      <div className="columns">
        {draft.type === 'multi' && (
          <NumberField
            label={tickets.uses}
            min={2}
            max={USES_MULTI_MAX}
            value={draft.uses}
            onChange={(value) => onChange({ ...draft, uses: value })}
          />
        )}
        <NumberField
          label={tickets.count}
          min={1}
          max={COUNT_MAX}
          value={draft.count}
          onChange={(value) => onChange({ ...draft, count: value })}
        />
      </div>
      <TextFields draft={draft} onChange={onChange} />
    </>
  );
}

/** Holder and window. */
export function TextFields({ draft, onChange }: Omit<TicketFieldsProps, 'events'>) {
  const { tickets } = useTexts();
  const field = (name: 'firstName' | 'lastName' | 'validFrom' | 'validUntil') => ({
    label: tickets[name],
    value: draft[name],
    onChange: (change: { currentTarget: { value: string } }) =>
      onChange({ ...draft, [name]: change.currentTarget.value }),
  });
  return (
    <>
      <div className="columns">
        <TextInput {...field('firstName')} autoComplete="off" />
        <TextInput {...field('lastName')} autoComplete="off" />
      </div>
      <div className="columns">
        <TextInput {...field('validFrom')} type="datetime-local" />
        <TextInput {...field('validUntil')} type="datetime-local" />
      </div>
      {draft.validUntil !== '' && Date.parse(draft.validUntil) < Date.now() && (
        <Alert color="orange" role="status">
          {tickets.endsInPast}
        </Alert>
      )}
    </>
  );
}
