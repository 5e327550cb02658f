import { KEY_CHOICES, ofEachChoice } from '../../core/key-settings.ts';
import { memberOf, TICKET_MEMBER_NAMES, TICKET_MEMBERS } from '../../core/ticket-members.ts';
import { both, type Pair } from './both-languages.ts';

type Words = Readonly<Record<string, string | Pair>>;

const choiceValues: Words = Object.assign(
  {},
  ...Object.values(KEY_CHOICES).map((one) => one.values),
);

const ticketMembers: Words = Object.fromEntries(
  TICKET_MEMBER_NAMES.map((name) => [name, memberOf(name).label]),
);

/**
 * The words of the audit log, whose entries may be of another version. The name of the object takes the place of `{}`; without `{}` it
 * follows a colon. The words with `.many` are for an act on several tickets.
 */
export const auditWords: Readonly<Record<'acts' | 'details' | 'detailValues', Words>> = {
  acts: {
    'organisation.create': ['Set up', 'Eingerichtet'],
    'organisation.rename': ['Name changed', 'Name geändert'],
    'organisation.delete': ['Organisation deleted', 'Organisation gelöscht'],
    'organisation.delete_with_tickets': both`Organisation with its tickets deleted
      Organisation mit ihren Tickets gelöscht`,
    'organisation.deleted': both`Everything of an organisation removed
      Alles zu einer Organisation entfernt`,
    'organisation.limits': ['Limits changed', 'Grenzwerte geändert'],
    'organisation.time_zone': ['Time zone changed', 'Zeitzone geändert'],
    'organisation.guest_search': [
      'Guest search of scanners changed',
      'Gästesuche des Einlasspersonals geändert',
    ],
    'organisation.inside_from': [
      'Daily count of people inside changed',
      'Tägliche Zählung der Personen geändert',
    ],
    'organisation.sheets': ['Printed tickets changed', 'Gedruckte Tickets geändert'],
    'event.create': ['Event {} created', 'Veranstaltung {} angelegt'],
    'event.rename': ['Event {} renamed', 'Veranstaltung {} umbenannt'],
    'event.archive': ['Event {} archived', 'Veranstaltung {} archiviert'],
    'event.unarchive': ['Event {} shown again', 'Veranstaltung {} wieder angezeigt'],
    'event.delete': ['Event {} deleted', 'Veranstaltung {} gelöscht'],
    'event.delete_with_tickets': both`Event {} with its tickets deleted
      Veranstaltung {} mit ihren Tickets gelöscht`,
    'event.deleted': both`Everything of the event {} removed
      Alles zur Veranstaltung {} entfernt`,
    'event.reset_inside': both`Count of people in {} reset
      Zahl der Personen in {} zurückgesetzt`,
    'key.create': ['API key {} created', 'API-Schlüssel {} angelegt'],
    'key.change': ['API key {} changed', 'API-Schlüssel {} geändert'],
    'key.rotate': ['API key {} renewed', 'API-Schlüssel {} erneuert'],
    'device.name': ['Device of API key {} named', 'Gerät des API-Schlüssels {} benannt'],
    'key.delete': ['API key {} deleted', 'API-Schlüssel {} gelöscht'],
    'ticket.create': ['Tickets for {} created', 'Tickets für {} angelegt'],
    'ticket.import': ['Tickets imported', 'Tickets importiert'],
    'ticket.cancel': ['Ticket {} cancelled', 'Ticket {} storniert'],
    'ticket.cancel.many': ['Tickets of {} cancelled', 'Tickets von {} storniert'],
    'ticket.reinstate': ['Cancellation of {} undone', 'Stornierung von {} aufgehoben'],
    'ticket.replace': ['Replacement for {} issued', 'Ersatz für {} ausgestellt'],
    'ticket.edit': ['Ticket {} changed', 'Ticket {} geändert'],
    'ticket.delete': ['Ticket {} deleted', 'Ticket {} gelöscht'],
    'ticket.delete.many': ['Tickets of {} deleted', 'Tickets von {} gelöscht'],
    'ticket.undo': ['Use of {} taken back', 'Nutzung von {} zurückgegeben'],
    'ticket.erase': ['Holder of {} erased', 'Inhaber von {} entfernt'],
    'ticket.erase.many': ['Holders of {} erased', 'Inhaber von {} entfernt'],
    'session.start': ['Signed in as {}', 'Als {} angemeldet'],
    'account.create': ['Account {} created', 'Konto {} angelegt'],
    'account.change': ['Account {} changed', 'Konto {} geändert'],
    'account.delete': ['Account {} deleted', 'Konto {} gelöscht'],
    'account.first-scan': ['First scan of {}', 'Erster Scan von {}'],
    'phone.pair': ['Phone {} paired', 'Telefon {} gekoppelt'],
    'phone.revoke': ['Phone {} removed', 'Telefon {} entfernt'],
    'access-token.create': ['Access token {} created', 'Zugriffstoken {} angelegt'],
    'access-token.delete': ['Access token {} deleted', 'Zugriffstoken {} gelöscht'],
    'webhook.create': ['Webhook {} created', 'Webhook {} angelegt'],
    'webhook.edit': ['Webhook {} changed', 'Webhook {} geändert'],
    'webhook.delete': ['Webhook {} deleted', 'Webhook {} gelöscht'],
    'signing-key.reinstate': both`Signing key {} accepted again
      Signaturschlüssel {} wieder anerkannt`,
    'document.edit': ['Edits of the file {} taken over', 'Änderungen der Datei {} übernommen'],
    'store.restore': ['Backup restored', 'Sicherung eingespielt'],
  },
  details: {
    name: 'Name',
    tickets: 'Tickets',
    organisations: ['Organisations', 'Organisationen'],
    events: ['Events', 'Veranstaltungen'],
    keys: ['API keys', 'API-Schlüssel'],
    administrative: ['Accounts and settings', 'Konten und Einstellungen'],
    entries: ['Log entries', 'Protokolleinträge'],
    kind: TICKET_MEMBERS.ticketType.label,
    count: ['Number', 'Anzahl'],
    account: ['Account', 'Konto'],
    accounts: ['Accounts', 'Konten'],
    from: ['before', 'vorher'],
    to: ['now', 'jetzt'],
    burst: ['Requests at once', 'Anfragen auf einmal'],
    quotaPerMonth: ['Requests per month', 'Anfragen je Monat'],
    logo: 'Logo',
    before: ['before', 'vorher'],
    after: ['now', 'jetzt'],
    expiresAt: ['Expires', 'Läuft ab'],
    sequence: ['Log entry', 'Protokolleintrag'],
    reason: ['Reason', 'Grund'],
    host: ['Address', 'Adresse'],
    newSecret: ['New secret', 'Neues Geheimnis'],
    wrongPasswordsBefore: ['Wrong passwords before', 'Falsche Passwörter davor'],
    backup: ['Backup', 'Sicherung'],
    state: ['State', 'Zustand'],
    insideFrom: ['Reset each day at', 'Täglich auf 0 um'],
    ...ticketMembers,
    ...ofEachChoice(({ label }) => label),
  },
  detailValues: {
    true: ['yes', 'ja'],
    false: ['no', 'nein'],
    all: ['all', 'alle'],
    never: ['never', 'nie'],
    changed: ['changed', 'geändert'],
    removed: ['removed', 'entfernt'],
    erased: ['removed', 'entfernt'],
    auto: ['by the reader', 'nach dem Lesegerät'],
    single: ['single ticket', 'Einzelticket'],
    multi: ['multi-use card', 'Mehrfachkarte'],
    permanent: ['permanent card', 'Dauerkarte'],
    api: ['own software', 'eigene Software'],
    hardware: ['hardware', 'Drehkreuz oder Leser'],
    owner: ['owner', 'Administrator'],
    operator: ['operator', 'Kassenpersonal'],
    viewer: ['viewer', 'Lesezugriff'],
    scanner: ['scanner', 'Einlasspersonal'],
    in: ['in', 'Eingang'],
    out: ['out', 'Ausgang'],
    ...choiceValues,
  },
};
