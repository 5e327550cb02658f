import {
  ACCESS_TOKEN_DAYS_MAX,
  ACCOUNT_NAME_CHARACTERS_MAX,
  TOKEN_NAME_CHARACTERS_MAX,
} from '../../core/limits.ts';
import type { Account, AnswerOf, Role, Route } from '../api/http.ts';
import { useAccessTokensOfAll, useAccounts } from '../api/lists.ts';
import { useChange, useMay, useRead, useSession } from '../api/use-api.tsx';
import { type Column, ListTable } from '../components/data-table.tsx';
import {
  ChangeModal,
  Confirm,
  CreateButton,
  FormModal,
  RowConfirm,
  RowDialog,
  ShownOnce,
} from '../components/dialogs.tsx';
import {
  EventScope,
  NumberField,
  RoleChoice,
  SecretInput,
  useDraft,
} from '../components/fields.tsx';
import type { Asked } from '../components/page.tsx';
import { PageHead } from '../components/page-head.tsx';
import { NameField } from '../components/people-text.tsx';
import { RowMenu } from '../components/row-menu.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';

/** Who may sign in, and as what. */
export function AccountsPage() {
  const { accounts } = useDeskTexts();
  const list = useAccounts();
  const columns = useColumns();
  return (
    <>
      <PageHead title={accounts.title}>
        <CreateButton text={accounts.create} dialog={<CreateAccount />} />
      </PageHead>
      <p className="dimmed">{accounts.roleHelp}</p>
      <ListTable asked={list} label={accounts.title} columns={columns} keyOf={({ id }) => id} />
    </>
  );
}

function useColumns(): Column<Account>[] {
  const { accounts, general, roles } = useDeskTexts();
  const own = useSession().account.id;
  return [
    {
      title: general.name,
      rest: true,
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
      cell: (account) => account.id !== own && <AccountActions account={account} />,
    },
  ];
}

function AccountActions({ account }: { account: Account }) {
  const { accounts, general } = useDeskTexts();
  const { id, name } = account;
  const deletion = (
    <Confirm
      title={accounts.deleteTitle}
      submit={general.delete}
      route="DELETE /accounts/:id"
      input={{ id }}
    >
      {accounts.deleteText(name)}
    </Confirm>
  );
  return (
    <span className="row-actions">
      <RowDialog text={general.edit} of={name} dialog={<EditAccount account={account} />} />
      <RowMenu of={name} items={[{ text: general.delete, dialog: deletion }]} />
    </span>
  );
}

const NEW_ACCOUNT: Pick<Account, 'name' | 'role' | 'events'> & { readonly password: string } = {
  name: '',
  password: '',
  role: 'operator',
  events: 'all',
};

/** A new account with its first password. */
function CreateAccount() {
  const { accounts, general } = useDeskTexts();
  const { draft, field } = useDraft(NEW_ACCOUNT);
  const { events, ...others } = draft;
  const isScanner = draft.role === 'scanner';
  return (
    <ChangeModal
      title={accounts.create}
      submit={general.create}
      route="POST /accounts"
      input={isScanner ? draft : others}
    >
      <NameField
        charactersMax={ACCOUNT_NAME_CHARACTERS_MAX}
        autoComplete="off"
        {...field('name')}
      />
      <SecretInput
        label={accounts.password}
        description={accounts.passwordHelp}
        autoComplete="new-password"
        {...field('password')}
      />
      <RoleChoice {...field('role')} />
      {isScanner && <EventScope {...field('events')} />}
    </ChangeModal>
  );
}

/** Gives an account another role, or a scanner other events. */
function EditAccount({ account }: { account: Account }) {
  const { accounts, general } = useDeskTexts();
  const { id, name, role, events } = account;
  const { draft, field } = useDraft({ role, events });
  const isScanner = draft.role === 'scanner';
  return (
    <ChangeModal
      title={accounts.edit(name)}
      submit={general.save}
      route="PATCH /accounts/:id"
      input={{ id, role: draft.role, ...(isScanner && { events: draft.events }) }}
    >
      <RoleChoice {...field('role')} />
      {isScanner && <EventScope {...field('events')} />}
    </ChangeModal>
  );
}

/** The account's own tokens for scripts; for owners those of every account too. */
export function AccessTokensPage() {
  const { navigation, accessTokens, general } = useDeskTexts();
  const owner = useMay('owner');
  return (
    <>
      <PageHead title={navigation.accessTokens}>
        <CreateButton text={accessTokens.create} dialog={<CreateToken />} />
      </PageHead>
      <p className="dimmed">{accessTokens.help}</p>
      <TokenList
        asked={useRead('GET /access-tokens')}
        label={navigation.accessTokens}
        empty={accessTokens.empty}
        end={general.delete}
        route="DELETE /access-tokens/:id"
      />
      {owner && <AllTokens />}
    </>
  );
}

/** The tokens of every account of the organisation. */
function AllTokens() {
  const { accessTokens } = useDeskTexts();
  return (
    <>
      <h2>{accessTokens.all}</h2>
      <p className="dimmed">{accessTokens.allHelp}</p>
      <TokenList
        asked={useAccessTokensOfAll()}
        label={accessTokens.all}
        empty={accessTokens.allEmpty}
        before={[
          { title: accessTokens.account, cell: ({ account }) => <Name>{account.name}</Name> },
        ]}
        end={accessTokens.revoke}
        nameOf={({ name, account }) => accessTokens.ofAccount(name, account.name)}
        route="DELETE /organisation/access-tokens/:id"
      />
    </>
  );
}

const DAYS_DEFAULT = 90;

/** A scanner has no tokens. */
type TokenRole = Exclude<Role, 'scanner'>;

/** A new token, and its value, this once. */
function CreateToken() {
  const { accessTokens, general } = useDeskTexts();
  const { role: own } = useSession().account;
  const { draft, field } = useDraft({ name: '', days: DAYS_DEFAULT, role: own as TokenRole });
  const create = useChange('POST /access-tokens', 'organisation');
  if (create.data) {
    const title = accessTokens.createdTitle(create.data.name);
    const label = accessTokens.value;
    return <ShownOnce title={title} label={label} value={create.data.token} />;
  }
  return (
    <FormModal
      title={accessTokens.create}
      submit={general.create}
      change={create}
      onSubmit={() => create.mutate(draft)}
    >
      <NameField charactersMax={TOKEN_NAME_CHARACTERS_MAX} {...field('name')} />
      <RoleChoice from="viewer" upTo={own} {...field('role')} />
      <NumberField
        label={accessTokens.days}
        min={1}
        max={ACCESS_TOKEN_DAYS_MAX}
        {...field('days')}
      />
    </FormModal>
  );
}

type Token = AnswerOf<'GET /access-tokens'>['items'][number];

interface TokenListProps<T> {
  readonly asked: Asked<{ readonly items: readonly T[] }>;
  readonly label: string;
  readonly empty: string;
  /** Columns before the name of the token. */
  readonly before?: readonly Column<T>[];
  /** What the button that ends a token says. */
  readonly end: string;
  /** The name of the token for who does not see the row. */
  readonly nameOf?: (token: T) => string;
  /** What ends it. */
  readonly route: Route;
}

/** A table of tokens, each with a button that ends it. */
function TokenList<T extends Token>(props: TokenListProps<T>) {
  const { accessTokens, accounts, general, roles } = useDeskTexts();
  const { before = [], end, nameOf = ({ name }) => name, route, ...table } = props;
  const columns: Column<T>[] = [
    ...before,
    { title: general.name, rest: true, cell: ({ name }) => <Name>{name}</Name> },
    { title: accounts.role, cell: ({ role }) => roles[role] },
    { title: general.created, cell: ({ createdAt }) => <TimeText at={createdAt} only="date" /> },
    { title: accessTokens.expires, cell: ({ expiresAt }) => <TimeText at={expiresAt} /> },
    {
      title: general.actions,
      cell: (token) => (
        <RowConfirm
          text={end}
          of={nameOf(token)}
          title={accessTokens.deleteTitle}
          route={route}
          input={{ id: token.id }}
          alsoStale={['access-tokens', 'organisation']}
        >
          {accessTokens.deleteText(token.name)}
        </RowConfirm>
      ),
    },
  ];
  return <ListTable {...table} columns={columns} keyOf={({ id }) => id} />;
}
