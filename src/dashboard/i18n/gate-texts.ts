import { type KEY_CHOICES, type KeyChoiceName, ofEachChoice } from '../../core/key-settings.ts';
import { both, type Table } from './both-languages.ts';

/** What the choices of a key are called, and their values. */
const choices = ofEachChoice(({ label, values }) => ({ label, values })) as {
  readonly [Name in KeyChoiceName]: Pick<(typeof KEY_CHOICES)[Name], 'label' | 'values'>;
};

/** Keys, devices and phones. */
export const gateTexts = {
  keys: {
    title: ['API keys', 'API-Schlüssel'],
    create: ['Create key', 'Schlüssel anlegen'],
    empty: both`No API key yet. Software and turnstiles need an API key.
      Noch kein API-Schlüssel. Software und Drehkreuze brauchen einen API-Schlüssel.`,
    type: ['Integration', 'Verwendung'],
    api: ['Own software / API', 'Eigene Software'],
    hardware: ['Hardware', 'Drehkreuz oder Leser'],
    events: ['Events', 'Veranstaltungen'],
    allEvents: ['All events', 'Alle Veranstaltungen'],
    selectedEvents: ['Selected events', 'Ausgewählte Veranstaltungen'],
    chooseEvents: ['Choose events', 'Veranstaltungen auswählen'],
    searchEvents: ['Search events', 'Veranstaltungen suchen'],
    active: ['Active', 'Aktiv'],
    disabled: ['Disabled', 'Gesperrt'],
    expired: ['Expired', 'Abgelaufen'],
    expires: ['Expires', 'Läuft ab'],
    expiresHint: both`From then on the key is refused. Empty: never.
      Ab dann wird der Schlüssel abgewiesen. Leer: nie.`,
    expiresSoon: (when: string) => both`This key expires on ${when}. Its requests are then refused.
      Dieser Schlüssel läuft am ${when} ab. Seine Anfragen werden dann abgewiesen.`,
    lastUsed: ['Last used', 'Zuletzt benutzt'],
    details: 'Details',
    detailsOf: (name: string) => [`Details of ${name}`, `Details zu ${name}`],
    since: ['Exists since', 'Besteht seit'],
    devices: ['Devices', 'Geräte'],
    allScans: ['All scans of this key', 'Alle Scans dieses Schlüssels'],
    allRefused: ['All refused requests', 'Alle abgewiesenen Anfragen'],
    previousUntil: ['Old value valid until', 'Alter Wert gilt bis'],
    readers: ['Readers', 'Lesegeräte'],
    readersHint: both`Which way each reader points, such as 0=in,1=out; *=out for devices without an index. Empty: every reader takes a use.
      Richtung je Lesegerät, etwa 0=in,1=out; *=out für Geräte ohne Nummer. Leer: Jedes Lesegerät verbraucht eine Nutzung.`,
    readersWrong: both`Write each reader once with in or out, such as 0=in,1=out.
      Schreiben Sie jedes Lesegerät einmal mit in oder out, etwa 0=in,1=out.`,
    choices,
    device: ['Device file', 'Gerätedatei'],
    deviceHint: both`Describes the requests and answers of the devices of this key.
      Beschreibt die Anfragen und Antworten der Geräte dieses Schlüssels.`,
    deviceNone: ['None (known models)', 'Keine (bekannte Modelle)'],
    rotate: ['Renew', 'Erneuern'],
    rotateTitle: ['Renew the key?', 'Schlüssel erneuern?'],
    rotateText: (name: string) => [
      `“${name}” stays the same key. Its devices need the new value before the old one expires.`,
      `„${name}“ bleibt derselbe Schlüssel. Seine Geräte brauchen den neuen Wert, bevor der alte abläuft.`,
    ],
    overlap: ['How long the old value stays valid', 'Wie lange der alte Wert noch gilt'],
    overlaps: {
      '0': ['Not at all (refused immediately)', 'Gar nicht (sofort abgewiesen)'],
      '3600': ['1 hour', '1 Stunde'],
      '86400': ['1 day', '1 Tag'],
      '604800': ['7 days', '7 Tage'],
    },
    rotateAgain: (name: string, until: string) => [
      `“${name}” got a new value not long ago, and the value before it is valid until ${until}. Another new value ends that one immediately: gates that still have it stay closed.`,
      `„${name}“ hat vor Kurzem einen neuen Wert bekommen, und der Wert davor gilt bis ${until}. Ein weiterer neuer Wert beendet ihn sofort: Tore, die ihn noch haben, bleiben geschlossen.`,
    ],
    rotateAct: ['What to do', 'Was soll geschehen?'],
    rotateActs: {
      prolong: ['Keep both, prolong the old one', 'Beide behalten, alten verlängern'],
      rotate: ['Renew, the oldest value ends at once', 'Erneuern, ältester Wert endet sofort'],
    },
    prolong: ['Prolong', 'Verlängern'],
    prolongBy: both`How long the old value stays valid from now on
      Wie lange der alte Wert ab jetzt noch gilt`,
    rotatedTitle: (name: string) => both`Key “${name}” was renewed
      Schlüssel „${name}“ wurde erneuert`,
    enable: ['Enable', 'Entsperren'],
    disable: ['Disable', 'Sperren'],
    usage: ['Requests this month', 'Anfragen in diesem Monat'],
    usedUp: both`The monthly quota is used up: scans with this key are refused until the month ends.
      Das Monatskontingent ist aufgebraucht: Scans mit diesem Schlüssel werden bis zum Monatsende abgewiesen.`,
    usedUpFrom: (when: string) => [
      `The monthly quota will probably be used up on ${when}; after that, scans are refused.`,
      `Voraussichtlich ist das Monatskontingent am ${when} aufgebraucht; danach werden Scans abgewiesen.`,
    ],
    usageOf: (used: string, quota: string) => [`${used} of ${quota}`, `${used} von ${quota}`],
    rate: (perSecond: string, burst: string) => both`${perSecond} per second, ${burst} at once
      ${perSecond} je Sekunde, ${burst} auf einmal`,
    relay: ['Relay on a grant', 'Relais bei Einlass'],
    relays: {
      auto: ['By reader: even IN, odd OUT', 'Je Lesegerät: gerade IN, sonst OUT'],
      in: ['Always IN', 'Immer IN'],
      out: ['Always OUT', 'Immer OUT'],
    },
    openSeconds: ['Door open (seconds)', 'Tür offen (Sekunden)'],
    createdTitle: (name: string) => both`Key “${name}” was created
      Schlüssel „${name}“ wurde angelegt`,
    once: both`Copy it now: it is shown only once.
      Kopieren Sie ihn jetzt: Er wird nur einmal angezeigt.`,
    value: ['Key', 'Schlüssel'],
    cardUrl: 'Card URL',
    heartUrl: 'Heart URL',
    deviceUrl: ['Device URL', 'Geräte-URL'],
    qrOf: (what: string) => [`QR code of the ${what}`, `QR-Code der ${what}`],
    onlyHere: both`Only this machine can reach this address. Open the dashboard at the address that the devices use, or start the server with --base-url.
      Nur dieser Rechner erreicht diese Adresse. Öffnen Sie das Dashboard unter der Adresse der Geräte oder starten Sie den Server mit --base-url.`,
    scanToSetUp: both`Scan the code with the phone that you use to set up the device. Then you need not type it.
      Scannen Sie den Code mit dem Telefon, mit dem Sie das Gerät einrichten. So müssen Sie nichts eingeben.`,
    waitTime: both`Wait Time of the device: 30 (3 seconds), on unstable networks 50 (5 seconds). With a lower value the device gives up before a slow answer.
      Wait Time des Geräts: 30 (3 Sekunden), in instabilen Netzen 50 (5 Sekunden). Mit einem kleineren Wert bricht das Gerät vor einer langsamen Antwort ab.`,
    careTitle: ['Keep it safe', 'Sicher aufbewahren'],
    care: [
      both`Keep the key on your server, never in a web page or an app that others use.
        Bewahren Sie den Schlüssel auf Ihrem Server auf, nie in einer Webseite oder App, die andere nutzen.`,
      both`Use a separate key for each site or event.
        Verwenden Sie für jeden Standort oder jede Veranstaltung einen eigenen Schlüssel.`,
      ['Send it over HTTPS only.', 'Senden Sie ihn nur über HTTPS.'],
      both`Renew it from time to time: with “Renew”, the old value stays valid while you change the devices.
        Erneuern Sie ihn von Zeit zu Zeit: Der alte Wert gilt weiter, während Sie die Geräte umstellen.`,
      both`When others may know a key, delete it and create a new one.
        Löschen Sie einen Schlüssel, den andere kennen könnten, und legen Sie einen neuen an.`,
    ],
    careHardware: both`Enter the URLs on the device only: they contain the key.
      Tragen Sie die URLs nur im Gerät ein: Sie enthalten den Schlüssel.`,
    done: ['I have stored it', 'Ich habe ihn gespeichert'],
    editTitle: (name: string) => [`Edit key “${name}”`, `Schlüssel „${name}“ bearbeiten`],
    deleteTitle: ['Delete key?', 'Schlüssel löschen?'],
    deleteText: (name: string) => [
      `“${name}” is then refused permanently. Whatever uses it admits nobody any more.`,
      `„${name}“ wird dann endgültig abgewiesen. Was diesen Schlüssel verwendet, lässt niemanden mehr ein.`,
    ],
    disableTitle: ['Disable key?', 'Schlüssel sperren?'],
    disableText: (name: string) => both`“${name}” is refused until you enable it again.
      „${name}“ wird abgewiesen, bis Sie ihn wieder entsperren.`,
  },
  devices: {
    emptyForOthers: ['No device has connected yet.', 'Noch kein Gerät hat sich verbunden.'],
    empty: both`No device has connected yet. Enter the Heart URL of a hardware key in a device.
      Noch kein Gerät hat sich verbunden. Tragen Sie die Heart URL eines Schlüssels für Drehkreuze in ein Gerät ein.`,
    full: both`This key has as many devices as are kept. A new serial number is listed when another device was silent for 30 days. If you do not know these devices, replace the key.
      Für diesen Schlüssel sind so viele Geräte gespeichert wie möglich. Eine neue Seriennummer erscheint, sobald ein anderes Gerät 30 Tage still war. Kennen Sie diese Geräte nicht, ersetzen Sie den Schlüssel.`,
    name: 'Name',
    nameIt: ['Name this device', 'Benennen'],
    nameTitle: (serial: string) => [`Name device “${serial}”`, `Gerät „${serial}“ benennen`],
    nameHelp: both`It stands for the gate in log, statistics, exports and webhooks. Without one, gates are called by their key and serial number.
      Er steht für das Tor in Protokoll, Statistik, Exporten und Webhooks. Ohne Namen heißt ein Tor nach Schlüssel und Seriennummer.`,
    serial: ['Serial number', 'Seriennummer'],
    today: ['Today', 'Heute'],
    below: ['Refused before a scan', 'Vor einem Scan abgewiesen'],
    fromAddress: (
      reason: string,
      address: string,
    ) => both`${reason} (from the address ${address}, without a key)
      ${reason} (von der Adresse ${address}, ohne Schlüssel)`,
    refused: (times: string, last: string) => [
      `${times} times, last ${last}`,
      `${times}-mal, zuletzt ${last}`,
    ],
    noSerial: ['No serial number', 'Ohne Seriennummer'],
    model: ['Model', 'Modell'],
    online: 'Online',
    offline: 'Offline',
    noHeartbeat: ['No heartbeat', 'Kein Heartbeat'],
    heartbeat: ['Last heartbeat', 'Letzter Heartbeat'],
    knownSince: ['Known since', 'Bekannt seit'],
    lastScan: ['Last scan', 'Letzter Scan'],
    noneLately: [
      'None among the newest scans of all gates. History shows older ones.',
      'Keiner unter den neuesten Scans aller Tore. Ältere zeigt der Verlauf.',
    ],
    firmware: 'Firmware',
    address: ['Address', 'Adresse'],
    key: ['Key', 'Schlüssel'],
    drift: ['Clock drift', 'Uhrabweichung'],
    driftOf: (seconds: string) => [`${seconds} s`, `${seconds} s`],
    unknown: ['unknown', 'unbekannt'],
    lastScans: ['Last scans', 'Letzte Scans'],
  },
  phones: {
    pair: ['Pair a phone', 'Telefon koppeln'],
    help: both`A paired phone scans tickets for an account without its password, for 12 hours, and sees nothing else. Remove a phone that is lost: it is refused from the next scan on.
      Ein gekoppeltes Telefon scannt 12 Stunden lang Tickets für ein Konto, ohne dessen Passwort, und sieht sonst nichts. Entfernen Sie ein verlorenes Telefon: Es wird ab dem nächsten Scan abgewiesen.`,
    empty: ['No phone is paired.', 'Kein Telefon ist gekoppelt.'],
    name: ['Phone', 'Telefon'],
    scansFor: ['Scans for', 'Scannt für'],
    scansForHelp: both`The log names this account. A scanner may be limited to selected events.
      Das Protokoll nennt dieses Konto. Einlasspersonal kann auf bestimmte Veranstaltungen beschränkt sein.`,
    pairedAt: ['Paired', 'Gekoppelt'],
    way: ['Stands at', 'Steht am'],
    ways: { in: ['Entrance', 'Eingang'], out: ['Exit', 'Ausgang'] },
    lastSeen: ['Last seen', 'Zuletzt gesehen'],
    endsAt: ['Ends', 'Endet'],
    steps: both`The next step shows a QR code. Scan it with the camera of the phone; it is valid once, for two minutes.
      Der nächste Schritt zeigt einen QR-Code. Scannen Sie ihn mit der Kamera des Telefons; er gilt einmal, zwei Minuten lang.`,
    showCode: ['Show QR code', 'QR-Code anzeigen'],
    showCodeAgain: ['Show a new code', 'Neuen Code anzeigen'],
    scanThis: both`Scan this code with the camera of the phone.
      Scannen Sie diesen Code mit der Kamera des Telefons.`,
    qrLabel: ['QR code for the phone', 'QR-Code für das Telefon'],
    asks: both`asks to be paired. Does the phone show this number?
      soll gekoppelt werden. Zeigt das Telefon diese Zahl?`,
    confirm: ['Yes, pair it', 'Ja, koppeln'],
    refuse: ['No, refuse', 'Nein, ablehnen'],
    ended: both`This code is no longer valid: two minutes have passed.
      Dieser Code gilt nicht mehr: Zwei Minuten sind vergangen.`,
    remove: ['Remove', 'Entfernen'],
    removeTitle: ['Remove phone?', 'Telefon entfernen?'],
    removeText: (name: string) => both`“${name}” can no longer scan until you pair it again.
      „${name}“ kann nicht mehr scannen, bis Sie es neu koppeln.`,
  },
} as const satisfies Table;
