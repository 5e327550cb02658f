import { Button, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useSession } from '../api/session.tsx';
import type { Account, Page, Role } from '../api/types.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { type Column, DataTable, RowAction } from '../components/data-table.tsx';
import { Confirm, FormModal } from '../components/dialogs.tsx';
import { SecretInput } from '../components/fields.tsx';
import { PageHead } from '../components/page-head.tsx';
import { EventScope, RoleChoice } from '../components/permission-fields.tsx';
import { Answered } from '../components/states.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';

/** Who may sign in, and as what. */
export function AccountsPage() {
  const { accounts, general } = useTexts();
  const list = useRead<Page<Account>>('/accounts');
  const [creating, setCreating] = useState(false);
  const [editing, setEditing] = useState<Account>();
  const [deleting, setDeleting] = useState<Account>();
  const columns = useColumns(setEditing, setDeleting);
  return (
    <>
      <PageHead title={accounts.title}>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
          {accounts.create}
        </Button>
      </PageHead>
      <p className="dimmed">{accounts.roleHelp}</p>
      <Answered asked={list}>
        {({ items }) => (
          <DataTable label={accounts.title} columns={columns} rows={items} keyOf={({ id }) => id} />
        )}
      </Answered>
      {creating && <CreateAccount onClose={() => setCreating(false)} />}
      {editing && <EditAccount account={editing} onClose={() => setEditing(undefined)} />}
      {deleting && (
        <Confirm
          title={accounts.deleteTitle}
          submit={general.delete}
          act={{ method: 'DELETE', path: `/accounts/${deleting.id}` }}
          changes={['accounts']}
          onClose={() => setDeleting(undefined)}
        >
          {accounts.deleteText(deleting.name)}
        </Confirm>
      )}
    </>
  );
}

function useColumns(
  onEdit: (account: Account) => void,
  onDelete: (account: Account) => void,
): Column<Account>[] {
  const { accounts, general, roles } = useTexts();
  const own = useSession().account.id;
  return [
    {
      title: general.name,
      cell: ({ id, name }) => (
        <>
          <Name>{name}</Name> {id === own && <span className="dimmed">({accounts.you})</span>}
        </>
      ),
    },
    { title: accounts.role, cell: ({ role }) => roles[role] },
    { title: accounts.lastSignIn, cell: ({ lastSignInAt }) => <TimeText at={lastSignInAt} /> },
    { title: general.created, cell: ({ createdAt }) => <TimeText at={createdAt} only="date" /> },
    {
      title: general.actions,
      cell: (account) =>
        account.id !== own && (
          <span className="row-actions">
            <RowAction
              text={general.edit}
              label={accounts.edit(account.name)}
              onClick={() => onEdit(account)}
            />
            <RowAction
              danger
              text={general.delete}
              label={accounts.delete(account.name)}
              onClick={() => onDelete(account)}
            />
          </span>
        ),
    },
  ];
}

/** A new account with its first password. */
function CreateAccount({ onClose }: { onClose: () => void }) {
  const { accounts, general } = useTexts();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<Role>('operator');
  const [events, setEvents] = useState<Account['events']>('all');
  const create = useChange('accounts');
  const body = { name, password, role, ...(role === 'scanner' && { events }) };
  return (
    <FormModal
      title={accounts.create}
      submit={general.create}
      change={create}
      onClose={onClose}
      onSubmit={() =>
        create.mutate({ method: 'POST', path: '/accounts', body }, { onSuccess: onClose })
      }
    >
      <TextInput
        label={general.name}
        required
        data-autofocus
        autoComplete="off"
        value={name}
        onChange={(change) => setName(change.currentTarget.value)}
      />
      <SecretInput
        label={accounts.password}
        description={accounts.passwordHelp}
        required
        autoComplete="new-password"
        value={password}
        onChange={(change) => setPassword(change.currentTarget.value)}
      />
      <RoleChoice role={role} onChange={setRole} />
      {role === 'scanner' && <EventScope events={events} onChange={setEvents} />}
    </FormModal>
  );
}

/** Gives an account another role, or a scanner other events. */
function EditAccount({ account, onClose }: { account: Account; onClose: () => void }) {
  const { accounts, general } = useTexts();
  const [role, setRole] = useState(account.role);
  const [events, setEvents] = useState(account.events);
  const change = useChange('accounts');
  const body = { role, ...(role === 'scanner' && { events }) };
  return (
    <FormModal
      title={<span className="break">{accounts.edit(account.name)}</span>}
      submit={general.save}
      change={change}
      onClose={onClose}
      onSubmit={() =>
        change.mutate(
          { method: 'PATCH', path: `/accounts/${account.id}`, body },
          { onSuccess: onClose },
        )
      }
    >
      <RoleChoice role={role} onChange={setRole} />
      {role === 'scanner' && <EventScope events={events} onChange={setEvents} />}
    </FormModal>
  );
}
