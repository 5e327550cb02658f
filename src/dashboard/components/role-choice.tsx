import { NativeSelect } from '@mantine/core';
import { ROLES, reaches } from '../../core/administrative-records.ts';
import type { Role } from '../api/types.ts';
import { useTexts } from '../i18n/language.tsx';

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
