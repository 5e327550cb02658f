import { NativeSelect, TextInput } from '@mantine/core';
import { useEvents } from '../../api/lists.ts';
import { useTexts } from '../../i18n/language.tsx';
import { daysOf, PERIODS, type StatisticsFilter } from './period.ts';

const ROWS = ['day', 'hour', 'event', 'gate', 'type'] as const;

interface FilterProps {
  readonly filter: StatisticsFilter;
  readonly onChange: (filter: StatisticsFilter) => void;
}

interface Change {
  readonly currentTarget: { readonly value: string };
}

/** Which days are wanted, of which event, and what each row is. */
export function StatisticsFilterFields({ filter, onChange }: FilterProps) {
  const { statistics, general, log } = useTexts();
  const events = useEvents().data?.items ?? [];
  const day = (name: 'from' | 'to') => ({
    label: statistics[name],
    type: 'date',
    value: filter[name],
    onChange: ({ currentTarget: { value } }: Change) =>
      value !== '' && onChange({ ...filter, period: 'own', [name]: value }),
  });
  const choosePeriod = ({ currentTarget: { value } }: Change) => {
    const period = PERIODS.find((name) => name === value);
    onChange({ ...filter, period: period ?? 'own', ...(period && daysOf(period)) });
  };
  const chooseRows = ({ currentTarget: { value } }: Change) =>
    onChange({ ...filter, by: ROWS.find((name) => name === value) ?? 'day' });
  const all = { value: '', label: general.all };
  return (
    <search className="filters">
      <NativeSelect
        label={statistics.period}
        value={filter.period}
        onChange={choosePeriod}
        data={[...PERIODS, 'own' as const].map((value) => ({
          value,
          label: statistics.periods[value],
        }))}
      />
      <TextInput {...day('from')} max={filter.to} />
      <TextInput {...day('to')} min={filter.from} />
      <NativeSelect
        label={statistics.by}
        value={filter.by}
        onChange={chooseRows}
        data={ROWS.map((value) => ({ value, label: statistics.rows[value] }))}
      />
      <NativeSelect
        label={log.event}
        value={filter.event}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, event: value })}
        data={[all, ...events.map(({ id, name }) => ({ value: id, label: name }))]}
      />
    </search>
  );
}
