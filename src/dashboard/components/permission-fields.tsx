import { Checkbox, NativeSelect, Radio } from '@mantine/core';
import { ROLES, reaches } from '../../core/administrative-records.ts';
import { offered, useEvents } from '../api/lists.ts';
import type { Key, Role } from '../api/types.ts';
import { useTexts } from '../i18n/language.tsx';
import { Answered, Empty } from './states.tsx';
import { Name } from './values.tsx';

interface RoleChoiceProps {
  readonly role: Role;
  readonly onChange: (role: Role) => void;
  /** Left out are roles that may more than this. */
  readonly upTo?: Role;
  /** Left out are roles that may less than this. */
  readonly from?: Role;
}

/** One of the roles. */
export function RoleChoice({ role, onChange, upTo = 'owner', from = 'scanner' }: RoleChoiceProps) {
  const { accounts, roles } = useTexts();
  const offered = ROLES.filter((one) => reaches(upTo, one) && reaches(one, from));
  return (
    <NativeSelect
      label={accounts.role}
      value={role}
      data={offered.map((value) => ({ value, label: roles[value] }))}
      onChange={(change) => onChange(change.currentTarget.value as Role)}
    />
  );
}

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
