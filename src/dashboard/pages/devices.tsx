import { Alert, NativeSelect, TextInput } from '@mantine/core';
import { useEffect } from 'react';
import { SECOND_MS } from '../../kit/durations.ts';
import {
  ApiFailure,
  BASE_PATH,
  type CreatedPairing,
  call,
  type Device,
  type Phone,
} from '../api/http.ts';
import { useDevices, useKeyName, useKeys, usePhones } from '../api/lists.ts';
import { useChange, useMay, useRead, useSession } from '../api/use-api.tsx';
import { type Column, ListTable } from '../components/data-table.tsx';
import {
  ChangeModal,
  CreateButton,
  FormModal,
  PlainModal,
  RowConfirm,
  RowDialog,
} from '../components/dialogs.tsx';
import { useDraft } from '../components/fields.tsx';
import { AnswersOfToday, RefusedBelow } from '../components/gate-answers.tsx';
import { Answered, Cards, MonthWarning, RefusalHint } from '../components/page.tsx';
import { PageHead } from '../components/page-head.tsx';
import { isOnlyHere, QrPicture } from '../components/qr-picture.tsx';
import { SmallScans } from '../components/scans.tsx';
import { Facts } from '../components/ticket-values.tsx';
import { Name, StateBadge, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';

const REFRESH_MS = 5000;
const USAGE_EVERY_MS = 60_000;

/** Turnstiles and readers: which are there, which are not, and what they scanned last. */
export function DevicesPage() {
  const { navigation, devices } = useDeskTexts();
  const owner = useMay('owner');
  const keys = useKeys({ everyMs: USAGE_EVERY_MS });
  const list = useDevices(REFRESH_MS);
  const keyName = useKeyName();
  return (
    <>
      <PageHead title={navigation.devices} />
      <RefusalHint />
      {keys.data?.items
        .filter(({ type }) => type === 'hardware')
        .map(({ id, name, usage }) => (
          <MonthWarning key={id} usage={usage} name={name} />
        ))}
      {list.data?.fullKeys.map((id) => (
        <Alert key={id} color="orange" title={keyName(id)}>
          {devices.full}
        </Alert>
      ))}
      <Cards
        asked={list}
        empty={owner ? devices.empty : devices.emptyForOthers}
        card={(device) => <DeviceCard key={`${device.keyId} ${device.serial}`} device={device} />}
      />
    </>
  );
}

/** One device as its heartbeats and scans tell. */
function DeviceCard({ device }: { device: Device }) {
  const mayName = useMay('operator');
  const { devices, general } = useDeskTexts();
  const formats = useFormats();
  const keyName = useKeyName();
  const { model, firmware, address, clockDriftMs: drift, online } = device;
  const named = (value: string) => (value ? <Name>{value}</Name> : devices.unknown);
  // Whether a device is there that never sent a heartbeat is unknown while it does not scan.
  const isKnown = online || device.lastHeartbeatAt !== null;
  const absent = isKnown ? devices.offline : devices.noHeartbeat;
  return (
    <li className="panel device-card">
      <div className="card-head">
        <h2>
          <Name>{device.name ?? (device.serial || devices.noSerial)}</Name>
        </h2>
        <StateBadge good={isKnown ? online : undefined} text={online ? devices.online : absent} />
      </div>
      <Facts
        facts={{
          ...(device.name !== null && { [devices.serial]: <Name>{device.serial}</Name> }),
          [devices.knownSince]: <TimeText at={device.knownSince} otherwise={devices.unknown} />,
          [devices.heartbeat]: <TimeText at={device.lastHeartbeatAt} only="seconds" />,
          [devices.lastScan]: <TimeText at={device.lastScanAt} only="seconds" />,
          [devices.model]: named(model),
          [devices.firmware]: named(firmware),
          [devices.address]: named(address),
          [devices.key]: named(keyName(device.keyId)),
          [devices.drift]:
            drift === null ? devices.unknown : devices.driftOf(formats.decimal(drift / SECOND_MS)),
        }}
      />
      {mayName && device.serial !== '' && (
        <RowDialog
          text={devices.nameIt}
          of={device.name ?? device.serial}
          dialog={<NameDevice device={device} />}
        />
      )}
      <h3>{devices.today}</h3>
      <AnswersOfToday answers={device.today} />
      <RefusedBelow keyId={device.keyId} serial={device.serial} addresses={[address]} />
      <h3>{devices.lastScans}</h3>
      {device.lastScans.length === 0 && (
        <p className="dimmed">{device.lastScanAt ? devices.noneLately : general.none}</p>
      )}
      <SmallScans scans={device.lastScans} withGate={false} />
    </li>
  );
}

/** Asks for the name of a device; an empty one takes it away. */
function NameDevice({ device: { keyId, serial, name } }: { device: Device }) {
  const { devices, general } = useDeskTexts();
  const { draft, field } = useDraft({ name: name ?? '' });
  const given = draft.name.trim();
  return (
    <ChangeModal
      title={devices.nameTitle(serial)}
      submit={general.save}
      route="POST /device-names"
      input={{ key: keyId, serial, name: given === '' ? null : given }}
      alsoStale={['devices', 'statistics']}
    >
      <TextInput
        label={devices.name}
        description={devices.nameHelp}
        data-autofocus
        {...field('name')}
      />
    </ChangeModal>
  );
}

const LIST_EVERY_MS = 30_000;

/** Phones that scan without a password. */
export function PhonesPage() {
  const { navigation, phones } = useDeskTexts();
  const list = usePhones(LIST_EVERY_MS);
  const columns = useColumns();
  return (
    <>
      <PageHead title={navigation.phones}>
        <CreateButton text={phones.pair} dialog={<PairPhone />} />
      </PageHead>
      <p className="dimmed">{phones.help}</p>
      <ListTable
        asked={list}
        empty={phones.empty}
        label={navigation.phones}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </>
  );
}

function useColumns(): Column<Phone>[] {
  const { phones, general } = useDeskTexts();
  return [
    { title: phones.name, rest: true, cell: ({ name }) => <Name>{name}</Name> },
    { title: phones.scansFor, cell: ({ account }) => <Name>{account.name}</Name> },
    { title: phones.way, cell: ({ way }) => (way === null ? '–' : phones.ways[way]) },
    { title: phones.pairedAt, cell: ({ pairedAt }) => <TimeText at={pairedAt} /> },
    { title: phones.lastSeen, cell: ({ lastSeenAt }) => <TimeText at={lastSeenAt} /> },
    { title: phones.endsAt, cell: ({ expiresAt }) => <TimeText at={expiresAt} /> },
    {
      title: general.actions,
      cell: ({ id, name }) => (
        <RowConfirm
          text={phones.remove}
          of={name}
          title={phones.removeTitle}
          route="DELETE /phones/:id"
          input={{ id }}
        >
          {phones.removeText(name)}
        </RowConfirm>
      ),
    },
  ];
}

/** Pairs one phone, from the question for whom it scans to the comparison of the codes. */
function PairPhone() {
  const { phones } = useDeskTexts();
  const own = useSession().account;
  const accounts = useRead('GET /accounts', {}, { enabled: useMay('owner') });
  const { draft, field } = useDraft({ account: own.id });
  const begin = useChange('POST /pairings');
  const scanners = accounts.data?.items.filter(({ role }) => role === 'scanner') ?? [];
  const choices = [own, ...scanners].map(({ id, name }) => ({ value: id, label: name }));
  if (begin.data) return <OpenPairing pairing={begin.data} onAgain={begin.reset} />;
  return (
    <FormModal
      title={phones.pair}
      submit={phones.showCode}
      change={begin}
      onSubmit={() => begin.mutate(draft)}
    >
      <p>{phones.steps}</p>
      {choices.length > 1 && (
        <NativeSelect
          label={phones.scansFor}
          description={phones.scansForHelp}
          data-autofocus
          data={choices}
          {...field('account')}
        />
      )}
    </FormModal>
  );
}

const ASK_EVERY_MS = 1000;

interface OpenPairingProps {
  readonly pairing: CreatedPairing;
  readonly onAgain: () => void;
}

/** The QR code until a phone has scanned it, then the question whether it is the right one. */
function OpenPairing({ pairing: { id, token }, onAgain }: OpenPairingProps) {
  const { phones } = useDeskTexts();
  const asked = useRead('GET /pairings/:id', { id }, { everyMs: ASK_EVERY_MS });
  // Who closes the dialogue takes the code back. Of one that was confirmed nothing is left.
  useEffect(() => () => void call('DELETE /pairings/:id', { id }).catch(() => undefined), [id]);
  if (asked.error instanceof ApiFailure && asked.error.status === 404) {
    const change = { isPending: false, error: null };
    return (
      <FormModal
        title={phones.pair}
        submit={phones.showCodeAgain}
        change={change}
        onSubmit={onAgain}
      >
        <Alert color="yellow" role="alert">
          {phones.ended}
        </Alert>
      </FormModal>
    );
  }
  const { phone = null, code = null } = asked.data ?? {};
  if (phone !== null && code !== null) return <Comparison id={id} phone={phone} code={code} />;
  return (
    <PlainModal title={phones.pair}>
      <Answered asked={asked}>{() => <ShownCode token={token} />}</Answered>
    </PlainModal>
  );
}

function ShownCode({ token }: { token: string }) {
  const { phones, keys } = useDeskTexts();
  const server = useRead('GET /server');
  const root = server.data?.baseUrl ?? `${location.origin}${BASE_PATH}`;
  return (
    <div className="form" role="status">
      <p>{phones.scanThis}</p>
      {/* In the fragment: no server, no proxy and no log sees it. */}
      <QrPicture text={`${root}/pair#${token}`} label={phones.qrLabel} />
      {isOnlyHere(root) && <Alert color="yellow">{keys.onlyHere}</Alert>}
    </div>
  );
}

function Comparison({ id, phone, code }: { id: string; phone: string; code: string }) {
  const { phones } = useDeskTexts();
  return (
    <ChangeModal
      title={phones.pair}
      submit={phones.confirm}
      dismiss={phones.refuse}
      route="POST /pairings/:id/confirm"
      input={{ id }}
      alsoStale={['phones']}
    >
      <p role="status">
        <strong>
          <Name>{phone}</Name>
        </strong>{' '}
        {phones.asks}
      </p>
      <p className="pairing-code">{code}</p>
    </ChangeModal>
  );
}
