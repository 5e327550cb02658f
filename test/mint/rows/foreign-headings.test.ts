import { expect, test } from 'vitest';
import { refuseIssues } from '../../../src/features/tickets/commands/list-options.ts';
import { likenessOf } from '../../../src/tickets/lists/headings.ts';
import { NEW_TICKET_COLUMNS, readSpecList } from '../../../src/tickets/lists/ticket-list.ts';
import { DEFAULTS } from './support/defaults.ts';

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function read(list: string, format: 'csv' | 'json' = 'csv') {
  const chunks = chunksOf(list);
  const source = { name: 'the list', lineBytesMax: 4096, linesMax: 100, chunks };
  const event = { id: 'ev1234', name: 'Pool' };
  return readSpecList(source, { defaults: DEFAULTS, event, format, ignored: [] });
}

async function advice(list: string, format: 'csv' | 'json' = 'csv'): Promise<string> {
  const { issues, items } = await read(list, format);
  try {
    refuseIssues('list', issues, Object.keys(NEW_TICKET_COLUMNS), { valid: items.length });
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

const COLUMNS = ['first', 'last', 'from', 'until', 'state', 'quantity', 'mail'] as const;

/** The headings of what decides about a ticket, in the order of COLUMNS, and one that says nothing of it. */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  German: [
    'Vorname',
    'Nachname',
    'Gültig ab',
    'Gültig bis',
    'Zustand der Bestellung',
    'Anzahl',
    'E-Mail',
  ],
  French: ['Prénom', 'Nom', 'Début de validité', 'Fin de validité', 'État', 'Quantité', 'Courriel'],
  Spanish: ['Nombre', 'Apellidos', 'Válido desde', 'Válido hasta', 'Estado', 'Cantidad', 'Correo'],
  Italian: ['Nome', 'Cognome', 'Valido dal', 'Scadenza', 'Stato', 'Quantità', 'Indirizzo'],
  Dutch: ['Voornaam', 'Achternaam', 'Geldig vanaf', 'Geldig tot', 'Betaald', 'Aantal', 'Telefoon'],
  Portuguese: ['Nome', 'Apelido', 'Início', 'Válido até', 'Situação', 'Quantidade', 'Morada'],
  Polish: ['Imię', 'Nazwisko', 'Ważny od', 'Ważny do', 'Opłacone', 'Ilość', 'Adres'],
  Czech: ['Jméno', 'Příjmení', 'Platí od', 'Platí do', 'Stav', 'Počet', 'Telefon'],
  Swedish: [
    'Förnamn',
    'Efternamn',
    'Giltig från',
    'Giltig till',
    'Betald',
    'Antal',
    'E-post adress',
  ],
  Danish: ['Fornavn', 'Efternavn', 'Gyldig fra', 'Gyldig til', 'Annulleret', 'Antal', 'Adresse'],
};

test.each(Object.entries(LANGUAGES))(
  'of a %s list nothing is dropped that decides',
  async (_, headings) => {
    const row = ['Zoe', 'Li', '01.07.2027', '31.08.2027', 'x', '2', 'y'].join(';');
    const { issues } = await read(`${headings.join(';')}\n${row}\n`);
    const suggested = new Map(issues.map(({ column, suggestion }) => [column, suggestion]));
    const [first, last, from, until, state, quantity, mail] = headings.map((heading) =>
      suggested.has(heading) ? suggested.get(heading) : 'known',
    );
    expect(['known', 'firstName']).toContain(first);
    expect(['known', 'lastName']).toContain(last);
    expect(['known', 'validFrom']).toContain(from);
    expect(['known', 'validUntil']).toContain(until);
    expect({ state, quantity, mail }).toEqual({ state: 'state', quantity: 'quantity', mail: null });
    expect(COLUMNS).toHaveLength(headings.length);
    const ignored = /--ignore-columns "([^"]*)"/u.exec(
      await advice(`${headings.join(';')}\n${row}\n`),
    );
    expect(ignored?.[1]).toBe(headings.at(-1));
  },
);

test.each([
  [
    'state',
    'Statut|Annulé|Remboursé|Payé|Cancelado|Pagado|Anulado|Annullato|Pagato|Rimborsato|Geannuleerd|Terugbetaald',
  ],
  [
    'state',
    'Stornováno|Zaplaceno|Zrušeno|Status|Anulowano|Zwrot|Avbokad|Återbetald|Aflyst|Betalt|Refunderet|Pago',
  ],
  [
    'state',
    'Zahlungsstatus|Stornodatum|Bezahlt|Checked in|Cancelled?|Paid|Void|Refunded Amount|Canceled At|Order Status',
  ],
  [
    'quantity',
    'Nombre de billets|Nb de places|Número de entradas|Numero di biglietti|Aantal tickets|Liczba biletów',
  ],
  [
    'quantity',
    'Počet vstupenek|Antal biljetter|Quantidade de bilhetes|No. of tickets|Order Item Quantity|Menge|Seats',
  ],
  [
    'validUntil',
    "Valable jusqu'au|Fecha fin|Caducidad|Fine validità|Einddatum|Vervaldatum|Validade até|Ważność do",
  ],
  ['validUntil', 'Platnost do|Slutdatum|Udløbsdato|Expiry|Ablaufdatum|Expires|Date de fin'],
  [
    'validFrom',
    'Valable du|Fecha de inicio|Data di inizio validità|Ingangsdatum|Ważność od|Platnost od|Startdatum',
  ],
  [
    'lastName',
    'Nom de famille|Apellido|Cognome|Familienaam|Nazwisko|Příjmení|Efternamn|Efternavn|Sobrenome',
  ],
  [
    'name',
    'Nom et prénom|Nombre y apellidos|Nome e cognome|Imię i nazwisko|Jméno a příjmení|Vor- und Nachname',
  ],
  [
    'name',
    'Asistente|Partecipante|Deelnemer|Uczestnik|Účastník|Deltagare|Deltager|Attendee|Titulaire',
  ],
  ['decide', 'Validité|Validez|Geldigheid|Ważność|Platnost|Giltighet|Gyldighed'],
  [
    null,
    'E-mail|Téléphone|Dirección|Prix|Precio|Prezzo|Prijs|Cena|Pris|Adresse|Bestellnummer|Order #|Order number|Ort|Ville',
  ],
  [
    'look',
    'Alter|Direktverkauf|Remarque|Event|Produit|Foo|Note|Datum|Capienza|Gruppe|Vegetarisch|Total',
  ],
] as const)('looks like %s: %s', (likeness, headings) => {
  const wrong = headings.split('|').filter((heading) => likenessOf(heading) !== likeness);
  expect(wrong.map((heading) => `${heading}: ${likenessOf(heading)}`)).toEqual([]);
});

test.each([
  ['csv', 'Vorname;Gruppe;E-Mail\nAda;A1;a@b.c\nBob;;\nCid;B2;\nDan;A1;\n'],
  [
    'json',
    '{"Vorname":"Ada","Gruppe":"A1","E-Mail":""}\n{"Vorname":"B","Gruppe":"B2","E-Mail":""}\n',
  ],
] as const)(
  'an unknown column of %s is shown with its values, and is in no advice to leave out',
  async (format, list) => {
    const text = await advice(list, format);
    expect(text).toContain('"Gruppe" ("A1", "B2"): look at this column.');
    expect(text).toMatch(/--columns.*--only.*--quantity.*--ignore-columns/u);
    expect(text).toContain('--ignore-columns "E-Mail"');
  },
);

test('the advice for a cancelled French order keeps its end, its name, its state and its quantity', async () => {
  const text = await advice(
    'Prénom;Nom;Début de validité;Fin de validité;Quantité;État\nZoé;Lefèvre;01/07/2027;31/08/2027;2;annulé\n',
  );
  expect(text).toContain('--columns "lastName=Nom"');
  expect(text).toContain('"État" ("annulé")');
  expect(text).toContain('--quantity "Quantité"');
  expect(text).not.toContain('--ignore-columns');
});
