import { Checkbox, NativeSelect, Radio } from '@mantine/core';
import { ROLES, reaches } from '../../core/administrative-records.ts';
import { offered, useEvents } from '../api/lists.ts';
import type { Key, Role } from '../api/types.ts';
import { useTexts } from '../i18n/language.tsx';
import { choicesOf } from './fields.tsx';
import { Answered, Empty } from './states.tsx';
import { Name } from './values.tsx';

interface RoleChoiceProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
  /** Left out are roles that may more than this. */
  readonly upTo?: Role;
  /** Left out are roles that may less than this. */
  readonly from?: Role;
}

/** One of the roles. */
export function RoleChoice({ value, onChange, upTo = 'owner', from = 'scanner' }: RoleChoiceProps) {
  const { accounts, roles } = useTexts();
  const known = ROLES.filter((one) => reaches(upTo, one) && reaches(one, from));
  return (
    <NativeSelect
      label={accounts.role}
      value={value}
      data={choicesOf(known, roles)}
      onChange={(change) => onChange(change.currentTarget.value as Role)}
    />
  );
}

interface EventScopeProps {
  readonly value: Key['events'];
  readonly onChange: (events: Key['events']) => void;
}

/** "All events" or "Selected events" (section 5.4). */
export function EventScope({ value, onChange }: EventScopeProps) {
  const { keys, events } = useTexts();
  const known = useEvents();
  return (
    <Radio.Group
      label={keys.events}
      value={value === 'all' ? 'all' : 'selected'}
      onChange={(chosen) => onChange(chosen === 'all' ? 'all' : [])}
    >
      <div className="choices">
        <Radio value="all" label={keys.allEvents} />
        <Radio value="selected" label={keys.selectedEvents} />
      </div>
      {value !== 'all' && (
        <Answered asked={known}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty text={events.empty} />
            ) : (
              <Checkbox.Group
                label={keys.chooseEvents}
                value={[...value]}
                onChange={onChange}
                className="chosen-events"
              >
                {offered(items, (id) => value.includes(id)).map(({ id, name }) => (
                  <Checkbox key={id} value={id} label={<Name>{name}</Name>} />
                ))}
              </Checkbox.Group>
            )
          }
        </Answered>
      )}
    </Radio.Group>
  );
}
