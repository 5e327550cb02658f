import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { offered, useEvents } from '../../api/lists.ts';
import { useTexts } from '../../i18n/language.tsx';

export interface TicketFilter {
  readonly event?: string;
  readonly state?: string;
  readonly search?: string;
  readonly batch?: string;
}

const TYPING_MS = 300;

/** Which tickets are wanted. */
export function TicketFilterFields({
  filter,
  onChange,
}: {
  filter: TicketFilter;
  onChange: (filter: TicketFilter) => void;
}) {
  const { tickets, general } = useTexts();
  const events = useEvents();
  const [search, setSearch] = useState(filter.search ?? '');
  const [settled] = useDebouncedValue(search, TYPING_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts a search, not the other filters
  useEffect(() => {
    if (settled !== (filter.search ?? '')) onChange({ ...filter, search: settled });
  }, [settled]);
  const states = Object.entries(tickets.states).map(([value, label]) => ({ value, label }));
  const all = { value: '', label: general.all };
  const choices = offered(events.data?.items ?? [], (id) => id === filter.event);
  const known = choices.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <search className="filters">
      <TextInput
        type="search"
        label={tickets.searchLabel}
        value={search}
        onChange={(change) => setSearch(change.currentTarget.value)}
      />
      <NativeSelect
        label={tickets.event}
        data={[all, ...known]}
        value={filter.event ?? ''}
        onChange={(change) => onChange({ ...filter, event: change.currentTarget.value })}
      />
      <NativeSelect
        label={general.state}
        data={[all, ...states]}
        value={filter.state ?? ''}
        onChange={(change) => onChange({ ...filter, state: change.currentTarget.value })}
      />
      <TextInput
        label={tickets.batch}
        value={filter.batch ?? ''}
        onChange={(change) => onChange({ ...filter, batch: change.currentTarget.value.trim() })}
      />
      <Button
        variant="subtle"
        onClick={() => {
          setSearch('');
          onChange({});
        }}
      >
        {general.clearFilter}
      </Button>
    </search>
  );
}
