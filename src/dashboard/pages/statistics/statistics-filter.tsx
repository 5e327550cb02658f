import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useEvents } from '../../api/lists.ts';
import { useTexts } from '../../i18n/language.tsx';
import { daysOf, PERIODS, type StatisticsFilter } from './period.ts';

const ROWS = ['day', 'hour', 'event', 'gate', 'type'] as const;

interface FilterProps {
  readonly filter: StatisticsFilter;
  readonly onChange: (filter: StatisticsFilter) => void;
}

/** Which days are wanted, of which event, and what each row is. */
export function StatisticsFilterFields({ filter, onChange }: FilterProps) {
  const { statistics, general, log } = useTexts();
  const events = useEvents().data?.items ?? [];
  const day = (name: 'from' | 'to') => ({
    label: statistics[name],
    type: 'date',
    required: true,
    value: filter[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      value !== '' && onChange({ ...filter, period: 'own', [name]: value }),
  });
  return (
    <>
      <div className="live-bar">
        <SegmentedControl
          aria-label={statistics.period}
          value={filter.period}
          onChange={(value) => {
            const period = PERIODS.find((name) => name === value);
            onChange({ ...filter, period: period ?? 'own', ...(period && daysOf(period)) });
          }}
          data={[...PERIODS, 'own' as const].map((value) => ({
            value,
            label: statistics.periods[value],
          }))}
        />
      </div>
      <search className="filters">
        <TextInput {...day('from')} max={filter.to} />
        <TextInput {...day('to')} min={filter.from} />
        <NativeSelect
          label={statistics.by}
          value={filter.by}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...filter, by: ROWS.find((name) => name === value) ?? 'day' })
          }
          data={ROWS.map((value) => ({ value, label: statistics.rows[value] }))}
        />
        <NativeSelect
          label={log.event}
          value={filter.event}
          onChange={({ currentTarget: { value } }) => onChange({ ...filter, event: value })}
          data={[
            { value: '', label: general.all },
            ...events.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      </search>
    </>
  );
}
