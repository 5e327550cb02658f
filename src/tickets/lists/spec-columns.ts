import { ofEachField } from '../../core/ticket-fields.ts';
import { GERMAN_TICKET_HEADINGS as GERMAN } from '../../core/ticket-members.ts';

/**
 * What a row says of a ticket, new or not, each with other headings that people give it, in English, German, French, Spanish, Italian,
 * Dutch, Portuguese, Polish, Czech, Swedish and Danish. A word that means a first name in one list and a whole one in another (`Nombre`)
 * is in none: it is asked about.
 */
export const SPEC_COLUMNS = {
  type: ['ticketType', GERMAN.ticketType, 'Typ', 'Art', 'Tickettyp'],
  uses: ['usesAllowed', GERMAN.usesAllowed, 'Anzahl Nutzungen', 'Eintritte'],
  firstName: [GERMAN.firstName, 'Prénom', 'Voornaam', 'Imię', 'Nome próprio', 'Förnamn', 'Fornavn'],
  lastName: [
    GERMAN.lastName,
    'Familienname',
    'Nom de famille',
    'Apellido',
    'Apellidos',
    'Cognome',
    'Achternaam',
    'Apelido',
    'Sobrenome',
    'Nazwisko',
    'Příjmení',
    'Efternamn',
    'Efternavn',
  ],
  /** First and last name in one text, which is not split (ADR 0120). */
  name: ['Full name', 'Vollständiger Name', 'Vor- und Nachname'],
  validFrom: [
    GERMAN.validFrom,
    'Gültig von',
    'Début de validité',
    'Valable à partir du',
    'Válido desde',
    'Valido dal',
    'Geldig vanaf',
    'Ważny od',
    'Platí od',
    'Giltig från',
    'Gyldig fra',
  ],
  validUntil: [
    GERMAN.validUntil,
    'Fin de validité',
    "Valable jusqu'au",
    'Válido hasta',
    'Valido fino al',
    'Geldig tot',
    'Geldig tot en met',
    'Válido até',
    'Ważny do',
    'Platí do',
    'Giltig till',
    'Giltig till och med',
    'Gyldig til',
  ],
  ...ofEachField(({ headings }, name) => [GERMAN[name], ...headings]),
} as const;
