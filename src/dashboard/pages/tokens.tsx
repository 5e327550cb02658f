import { Button, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { ACCESS_TOKEN_DAYS_MAX } from '../../core/limits.ts';
import { useSession } from '../api/session.tsx';
import type { AccessToken, OwnedAccessToken, Page } from '../api/types.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { type Column, DataTable, RowAction } from '../components/data-table.tsx';
import { Confirm, FormModal, ShownOnce } from '../components/dialogs.tsx';
import { NumberField } from '../components/fields.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RoleChoice } from '../components/permission-fields.tsx';
import { Answered } from '../components/states.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';

/** The account's own tokens for scripts; for owners those of every account too. */
export function AccessTokensPage() {
  const { accessTokens, general } = useTexts();
  const { role } = useSession().account;
  const [creating, setCreating] = useState(false);
  return (
    <>
      <PageHead title={accessTokens.title}>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
          {accessTokens.create}
        </Button>
      </PageHead>
      <p className="dimmed">{accessTokens.help}</p>
      <TokenList<AccessToken>
        path="/access-tokens"
        label={accessTokens.title}
        empty={accessTokens.empty}
        end={general.delete}
        endNamed={({ name }) => accessTokens.delete(name)}
      />
      {role === 'owner' && <AllTokens />}
      {creating && <CreateToken onClose={() => setCreating(false)} />}
    </>
  );
}

/** The tokens of every account of the organisation. */
function AllTokens() {
  const { accessTokens } = useTexts();
  return (
    <>
      <h2>{accessTokens.all}</h2>
      <p className="dimmed">{accessTokens.allHelp}</p>
      <TokenList<OwnedAccessToken>
        path="/organisation/access-tokens"
        label={accessTokens.all}
        empty={accessTokens.allEmpty}
        before={[
          { title: accessTokens.account, cell: ({ account }) => <Name>{account.name}</Name> },
        ]}
        end={accessTokens.revoke}
        endNamed={({ name, account }) => accessTokens.revokeNamed(name, account.name)}
      />
    </>
  );
}

const DAYS_DEFAULT = 90;

/** A new token, and its value, this once. */
function CreateToken({ onClose }: { onClose: () => void }) {
  const { accessTokens, general } = useTexts();
  const { role: own } = useSession().account;
  const [draft, setDraft] = useState({ name: '', days: DAYS_DEFAULT, role: own });
  const create = useChange<{ name: string; token: string }>('access-tokens', 'organisation');
  if (create.data) {
    const title = accessTokens.createdTitle(create.data.name);
    const label = accessTokens.value;
    return <ShownOnce title={title} label={label} value={create.data.token} onClose={onClose} />;
  }
  return (
    <FormModal
      title={accessTokens.create}
      submit={general.create}
      change={create}
      onClose={onClose}
      onSubmit={() => create.mutate({ method: 'POST', path: '/access-tokens', body: draft })}
    >
      <TextInput
        label={general.name}
        required
        data-autofocus
        value={draft.name}
        onChange={(change) => setDraft({ ...draft, name: change.currentTarget.value })}
      />
      <RoleChoice
        role={draft.role}
        from="viewer"
        upTo={own}
        onChange={(role) => setDraft({ ...draft, role })}
      />
      <NumberField
        label={accessTokens.days}
        min={1}
        max={ACCESS_TOKEN_DAYS_MAX}
        value={draft.days}
        onChange={(value) => setDraft({ ...draft, days: value })}
      />
    </FormModal>
  );
}

interface TokenListProps<T> {
  /** Where the tokens are read, and deleted under their id. */
  readonly path: '/access-tokens' | '/organisation/access-tokens';
  readonly label: string;
  readonly empty: string;
  /** Columns before the name of the token. */
  readonly before?: readonly Column<T>[];
  /** What the button that ends a token says. */
  readonly end: string;
  /** The same with the token's name, for who does not see the row. */
  readonly endNamed: (token: T) => string;
}

/** A table of tokens, each with a button that ends it. */
function TokenList<T extends AccessToken>({
  path,
  label,
  empty,
  before = [],
  end,
  endNamed,
}: TokenListProps<T>) {
  const { accessTokens, accounts, general, roles } = useTexts();
  const list = useRead<Page<T>>(path);
  const [ending, setEnding] = useState<T>();
  const columns: Column<T>[] = [
    ...before,
    { title: general.name, cell: ({ name }) => <Name>{name}</Name> },
    { title: accounts.role, cell: ({ role }) => roles[role] },
    { title: general.created, cell: ({ createdAt }) => <TimeText at={createdAt} only="date" /> },
    { title: accessTokens.expires, cell: ({ expiresAt }) => <TimeText at={expiresAt} /> },
    {
      title: general.actions,
      cell: (token) => (
        <RowAction danger text={end} label={endNamed(token)} onClick={() => setEnding(token)} />
      ),
    },
  ];
  return (
    <>
      <Answered asked={list}>
        {({ items }) => (
          <DataTable
            empty={empty}
            label={label}
            columns={columns}
            rows={items}
            keyOf={({ id }) => id}
          />
        )}
      </Answered>
      {ending && (
        <Confirm
          title={accessTokens.deleteTitle}
          submit={end}
          act={{ method: 'DELETE', path: `${path}/${ending.id}` }}
          changes={['access-tokens', 'organisation']}
          onClose={() => setEnding(undefined)}
        >
          {accessTokens.deleteText(ending.name)}
        </Confirm>
      )}
    </>
  );
}
