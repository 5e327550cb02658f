import { Button, NativeSelect, TextInput } from '@mantine/core';
import { OUTCOME_NAMES } from '../../../core/outcome-names.ts';
import { offered, useEvents, useKeys, useScanners } from '../../api/lists.ts';
import { timeFromField } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

export interface LogFilter {
  readonly ticket: string;
  readonly key: string;
  readonly event: string;
  readonly outcome: string;
  /** As `datetime-local` gives it. */
  readonly from: string;
  readonly until: string;
}

export const EVERYTHING: LogFilter = {
  ticket: '',
  key: '',
  event: '',
  outcome: '',
  from: '',
  until: '',
};

/** What the admin API is asked for; times with their zone. */
export function conditionsOf(filter: LogFilter): Record<string, string> {
  const { from, until, ...rest } = filter;
  return {
    ...rest,
    ...(from && { from: timeFromField(from) }),
    ...(until && { until: timeFromField(until) }),
  };
}

interface LogFilterProps {
  readonly filter: LogFilter;
  readonly onChange: (filter: LogFilter) => void;
  /** Times make no sense for what is still to come. */
  readonly withTimes: boolean;
}

/** Which scans are wanted. */
export function LogFilterFields({ filter, onChange, withTimes }: LogFilterProps) {
  const { log, general, outcomes, overview } = useTexts();
  const keys = [...(useKeys().data?.items ?? []), ...(useScanners().data?.items ?? [])];
  const events = offered(useEvents().data?.items ?? [], (id) => id === filter.event);
  const field = (name: keyof LogFilter) => ({
    label: log[name],
    value: filter[name],
    onChange: (change: { currentTarget: { value: string } }) =>
      onChange({ ...filter, [name]: change.currentTarget.value }),
  });
  const all = { value: '', label: general.all };
  const named = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name });
  const outcomeChoices = [
    { value: 'denied', label: overview.denied },
    ...OUTCOME_NAMES.map((value) => ({ value, label: outcomes[value] })),
    { value: 'undone', label: outcomes.undone },
  ];
  return (
    <search className="filters">
      <TextInput {...field('ticket')} type="search" />
      <NativeSelect {...field('outcome')} data={[all, ...outcomeChoices]} />
      <NativeSelect {...field('key')} data={[all, ...keys.map(named)]} />
      <NativeSelect {...field('event')} data={[all, ...events.map(named)]} />
      {withTimes && (
        <>
          <TextInput {...field('from')} type="datetime-local" />
          <TextInput {...field('until')} type="datetime-local" />
        </>
      )}
      <Button variant="subtle" onClick={() => onChange(EVERYTHING)}>
        {general.clearFilter}
      </Button>
    </search>
  );
}
