/**
 * What a column looks like that is not known: a column that exists here, what decides which rows count and how often, `decide` for an end
 * or a beginning; null for what says nothing about a ticket. Everything else is to be looked at.
 */
export type Likeness =
  | 'firstName'
  | 'lastName'
  | 'name'
  | 'validFrom'
  | 'validUntil'
  | 'type'
  | 'state'
  | 'quantity'
  | 'decide'
  | 'look'
  | null;

/**
 * The words of headings, as `formOf` folds them (no case, blanks, hyphens or accents; ä is ae, å is aa), in English, German, French,
 * Spanish, Italian, Dutch, Portuguese, Polish, Czech, Swedish and Danish. The first that fits decides: what decides whether and how often
 * a row counts comes before what only looks like a name or an address.
 */
export const LIKENESSES: readonly (readonly [Likeness, RegExp])[] = [
  ['state', /status|zustand|state$|^void|voided|cancel|storn|refund|erstatt|confirm|bestaetigt/],
  [
    'state',
    /bezahlt|(?:^|is|un)paid(?:at|on)?$|^offen$|approv|reject|declin|rsvp|waitlist|wartelist/,
  ],
  [
    'state',
    /checkedin|checkin|eingecheckt|entwertet|^(?:used|scanned|active|aktiv|deleted|blocked|gesperrt)/,
  ],
  [
    'state',
    /^etat|statut|annul|rembours|^(?:est)?payee?s?$|^regle|^valide$|^estado|anulad|reembols|pagad[oa]/,
  ],
  [
    'state',
    /^stato|rimbors|^pagat[oa]|terugbetaald|betaal|gebruikt|^stan(?!d)|anulowan|oplacon|zaplacon|zwrot/,
  ],
  [
    'state',
    /situacao|^pag[oa]$|utilizad|^stav|zrusen|zaplacen|uhrazen|vracen|avbokad|avbestael|betal[dt]/,
  ],
  [
    'state',
    /aflyst|tilstand|^installd|^aktivn|^activ[oae]|^attiv[oa]|^actief|^confirmad|^wazny$|^platny$/,
  ],
  [
    'quantity',
    /quanti|qty|^qte|^qtde?$|menge|^anzahl|stueck|personen|(?:number|no)of|^oftickets|ticketcount|^count$/,
  ],
  [
    'quantity',
    /^(?:tickets|seats|places|plaetze|platser|billets|entradas|biglietti|bilety|kusu?|osob|capacity|admits|pax)$/,
  ],
  [
    'quantity',
    /^(?:nombre|nb|nbre)de?(?!usuario|pila|l)|^cantidad|^numero(?:de|di)|^aantal|^ilosc|^liczba|^pocet|mnozstvi|^antal/,
  ],
  [
    'type',
    /tickettyp|ticketart|^typ[eo]?$|^ticket$|kategori|categor|tarif|tariff|typede|tipo(?:de|di|do)/,
  ],
  [
    'type',
    /soortticket|ticketsoort|kaartsoort|rodzajbiletu|typbiletu|typvstupenky|biljettyp|billettype/,
  ],
  ['validUntil', /until|expir|ablauf|bis$|^ende?$|enddat|endzeit|gueltig(?!ab|von)|thru$|through$/],
  [
    'validUntil',
    /^fin$|findevalid|datedefin|finvalid|valable(?:jusqu|au)|jusqu|echeance|hasta|caduc|vencim/,
  ],
  [
    'validUntil',
    /fechafin|fechadefin|scadenza|fino(?:al?|a)|finevalid|datafine|^fine$|^tot$|geldigtot|tot(?:en)?met|einddat|verval|verloop/,
  ],
  [
    'validUntil',
    /wazn.{0,4}do$|koniec|datakonca|terminwaznosci|valid\w{1,4}ate$|^ate$|datadefim|fimdevalid|^fim$/,
  ],
  [
    'validUntil',
    /plat\w{0,6}do$|^konec|giltig\w*till|tillochmed|slutdat|^slut$|gaarut|gyldig\w*til$|udloeb|^(?:do|til|till)$/,
  ],
  [
    'validFrom',
    /^validfrom|gueltig|startdat|beginn|^debut|debutdevalid|datededebut|valable(?:du|apartir|des)|apartirde?$/,
  ],
  [
    'validFrom',
    /desde|^inicio|iniciod|fechade?inicio|^inizio|inizioval|valid[oa]dal|^dal$|decorrenza|vanaf|geldigvan|begindat|ingangsdat/,
  ],
  [
    'validFrom',
    /wazn.{0,4}od$|poczatek|datarozpocz|datadeinicio|plat\w{0,6}od$|zacatek|giltig\w*fraan|gyldig\w*fra$|^(?:fra|fraan|od)$/,
  ],
  ['decide', /valid(?!ation)|geldig|waznosc|platnost|giltig|gyldig/],
  [null, /mail|courriel|correo|phone|telef|handy|mobil|^movil|^portable$|cellular|^gsm$/],
  [
    null,
    /address|adress|^dir(?:$|eccion|ecao)|indirizzo|^adres|^morada|street|strasse|^rue$|^calle$|^via$|straat|^ulica|gade$|^gata/,
  ],
  [
    null,
    /^city|town|^ort$|^ville|ciudad|^citta$|plaats|^miasto|^mesto$|^stad$|^by$|postcode|postleit|^plz|codepostal|^zip|^cap$/,
  ],
  [
    null,
    /country|^land$|^pays$|^pais$|^paese$|^kraj$|^zeme$|currency|waehrung|devise|moneda|valuta|^mwst|^vat$|^tva$|^iva$|^btw$/,
  ],
  [
    null,
    /price|preis$|betrag$|amount|^prix|montant|^precio|importe?$|^prezzo|^prijs|bedrag|^cena$|kwota|^preco|^valor|castka|^pris$|belopp|beloeb/,
  ],
  [
    null,
    /paymentmethod|zahlungs(?:art|weise|methode)|paymentgateway|modedepaiement|company|firma|organi[sz]ation|societe|^empresa|azienda|bedrijf/,
  ],
  [
    null,
    /(?:order|purchase|bestell|kauf|rechnungs|invoice|booking|buchungs)(?:date|datum|time|zeit)$|^ordered(?:at|on)$|^bestelltam$/,
  ],
  [
    null,
    /(?:order|invoice|booking|customer|transaction|attendee|user|ticket|bestell|kunden|buchungs|rechnungs|barcode)(?:id|no|nr|ref|number|nummer|code|reference)$/,
  ],
  [
    null,
    /^(?:order|commande|pedido|ordine|bestelling|bestelnummer|zamowienie|objednavka|ordre|id|barcode|qrcode)$/,
  ],
  [
    null,
    /^(?:numero)?n?de(?:la)?commande|^numerodepedido|^numero(?:d)?ordine|^numerzamowienia|^cisloobjednavky|^ordrenummer/,
  ],
  [
    null,
    /language|^sprache|^langue|^idioma|^lingua|gender|geschlecht|salutation|^anrede|newsletter|birth|geburt/,
  ],
  [
    'name',
    /(?:vorund|firstandlast|first&last)|^(?:full|whole|complete)name|name$(?<=undname)|^imieinazwisko|^nom(?:et)?prenom|^prenom(?:et)?nom/,
  ],
  [
    'name',
    /nom(?:bre|e)(?:s)?[ye](?:apell|cognome|sobrenome|apelido)|nom[be]re?completo|nomecompleto|nomcomplet|jmenoaprijmeni|foe?r(?:och|og)efter/,
  ],
  [
    'firstName',
    /first|vorname|given|rufname|prenom|forename|primernombre|nombredepila|voornaam|roepnaam|^imi[eo]n?a?$|nomeproprio|primeironome/,
  ],
  ['firstName', /krestni|foernamn|fornavn|tilltalsnamn/],
  [
    'lastName',
    /last|nachname|surname|family|familien|zuname|nomdefamille|apellido|cognome|achternaam|familienaam|nazwisk/,
  ],
  ['lastName', /prijmeni|efternamn|efternavn|sobrenome|apelido|patronyme/],
  [
    'name',
    /name|^nom(?:s|bres?|es?)?$|^nom(?:bre|e)?d|^naam|naam$|^jmeno|^namn|^navn|holder|inhaber|titula[ir]|intestatario|houder/,
  ],
  [
    'name',
    /guest|gast|^invite|invitado|ospite|gosc|^host|gaest|attendee|teilnehmer|besucher|visitor|visiteur|visitante|visitatore|bezoeker/,
  ],
  [
    'name',
    /participant|participe|partecipante|asistente|deelnemer|uczestni|ucastnik|deltagare|deltager/,
  ],
  [
    'name',
    /^(?:buyer|kaeufer|kunde|customer|rechnungan|billto|acheteur|client|cliente|comprador|acquirente|koper|klant|klient|kupujici)$/,
  ],
];

/** What headings are called that mean the one name that is missing: the last beside a first name, the first beside a last one. */
export const BARE_NAME = /^(?:name|noms?|nombres?|nomes?|naam|namn|navn|jmeno|imie|vollername)$/;

/** Matches headings about the buyer, who may not be the guest. */
export const BUYER =
  /order|buyer|billing|purchas|bestell|rechnung|kaeufer|kunde|customer|invoice|payer|acheteur|factur|comprador|acquirente|fattura|koper|klant|kupuj/;
