import { Checkbox, Radio } from '@mantine/core';
import { offered, useEvents } from '../api/lists.ts';
import type { Key } from '../api/types.ts';
import { useTexts } from '../i18n/language.tsx';
import { Name } from './name.tsx';
import { Answered, Empty } from './states.tsx';

interface EventScopeProps {
  readonly events: Key['events'];
  readonly onChange: (events: Key['events']) => void;
}

/** "All events" or "Selected events" (section 5.4). */
export function EventScope({ events, onChange }: EventScopeProps) {
  const { keys } = useTexts();
  return (
    <Radio.Group
      label={keys.events}
      value={events === 'all' ? 'all' : 'selected'}
      onChange={(value) => onChange(value === 'all' ? 'all' : [])}
    >
      <div className="choices">
        <Radio value="all" label={keys.allEvents} />
        <Radio value="selected" label={keys.selectedEvents} />
      </div>
      {events !== 'all' && <ChosenEvents events={events} onChange={onChange} />}
    </Radio.Group>
  );
}

function ChosenEvents({
  events,
  onChange,
}: {
  events: readonly string[];
  onChange: (events: string[]) => void;
}) {
  const texts = useTexts();
  const known = useEvents();
  return (
    <Answered asked={known}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty text={texts.events.empty} />
        ) : (
          <Checkbox.Group
            label={texts.keys.chooseEvents}
            value={[...events]}
            onChange={onChange}
            className="chosen-events"
          >
            {offered(items, (id) => events.includes(id)).map((event) => (
              <Checkbox key={event.id} value={event.id} label={<Name>{event.name}</Name>} />
            ))}
          </Checkbox.Group>
        )
      }
    </Answered>
  );
}
