import { busy, conflict, limitReached, notFound, usage } from './kinds.ts';

/** Why a change of a ticket, a list of tickets or a question about scans is refused. */
export const TICKET_REFUSALS = {
  uses_fixed: usage(
    ({ allowed }: { allowed: number }) =>
      allowed === 1 ? 'A single ticket has 1 use.' : `A permanent card has ${allowed} uses.`,
    ({ allowed }: { allowed: number }) =>
      allowed === 1
        ? 'Ein Einzelticket hat 1 Nutzung.'
        : `Eine Dauerkarte hat ${allowed} Nutzungen.`,
  ),
  uses_missing: usage(
    'A multi-use card needs its number of uses, {min} to {max}.',
    'Eine Mehrfachkarte braucht die Anzahl ihrer Nutzungen, {min} bis {max}.',
  ),
  uses_range: usage(
    'A multi-use card has {min} to {max} uses.',
    'Eine Mehrfachkarte hat {min} bis {max} Nutzungen.',
  ),
  holder_name: usage(
    'A name has at most {max} characters, no control characters and none that change the text direction.',
    'Ein Name hat höchstens {max} Zeichen, keine Steuerzeichen und keine, die die Schreibrichtung ändern.',
  ),
  field_text: usage(
    'A text on a ticket has at most {max} characters here, no control characters and none that change the text direction.',
    'Ein Text auf einem Ticket hat hier höchstens {max} Zeichen, keine Steuerzeichen und keine, die die Schreibrichtung ändern.',
  ),
  field_flag: usage(
    '"{text}" is neither yes nor no. Write yes, no or nothing.',
    '„{text}“ ist weder ja noch nein. Schreiben Sie ja, nein oder nichts.',
  ),
  window_reversed: usage(
    'The validity ends before it begins: the ticket would never be valid.',
    'Die Gültigkeit endet, bevor sie beginnt: Das Ticket wäre nie gültig.',
  ),
  time_range: usage(
    'Dates lie in the years 1970 to 9998.',
    'Zeiten liegen in den Jahren 1970 bis 9998.',
  ),
  time_form: usage(
    '"{text}" is not a valid date or time. Write 2026-12-24, 2026-12-24T18:00, 2026-12-24T18:00:00Z or 24.12.2026 18:00.',
    '„{text}“ ist kein Datum. Schreiben Sie 24.12.2026, 24.12.2026 18:00 oder 2026-12-24.',
  ),
  time_serial: usage(
    '"{text}" is how a spreadsheet counts days. Format the column as a date there, and save the list again.',
    '„{text}“ ist die Zahl, mit der eine Tabellenkalkulation Tage zählt. Formatieren Sie die Spalte dort als Datum und speichern Sie die Liste neu.',
  ),
  time_short_year: usage(
    '"{text}" has a year of two digits. Write all four, such as 24.12.2026 18:00.',
    '„{text}“ hat ein Jahr mit zwei Ziffern. Schreiben Sie alle vier, etwa 24.12.2026 18:00.',
  ),
  time_order: usage(
    '"{text}" does not say which number is the day and which the month. Write 2026-12-24 or 24.12.2026, and hours from 0 to 23.',
    '„{text}“ sagt nicht, welche Zahl der Tag ist und welche der Monat. Schreiben Sie 24.12.2026 oder 2026-12-24, und Stunden von 0 bis 23.',
  ),
  time_endless: usage(
    '"{text}" is not a date. Where there is no end, leave it empty.',
    '„{text}“ ist kein Datum. Wo es kein Ende gibt, lassen Sie es leer.',
  ),
  time_missing: usage(
    '"{text}" does not exist in the calendar. Check day and month.',
    '„{text}“ gibt es im Kalender nicht. Prüfen Sie Tag und Monat.',
  ),
  time_skipped: usage(
    '"{text}" does not exist in {timeZone}: clocks go forward there from {left} to {next}. Write {later}.',
    '„{text}“ gibt es in {timeZone} nicht: Dort werden die Uhren von {left} auf {next} vorgestellt. Schreiben Sie {later}.',
  ),
  kind_unknown: usage(
    '"{text}" is not a type of ticket. Types are single, multi and permanent.',
    '„{text}“ ist keine Ticketart. Arten sind Einzelticket, Mehrfachkarte und Dauerkarte.',
  ),
  uses_number: usage(
    '"{text}" is not a number of uses.',
    '„{text}“ ist keine Anzahl von Nutzungen.',
  ),
  tickets_taken: conflict('One of the tickets already exists.', 'Eines der Tickets gibt es schon.'),
  too_few_uses: conflict(
    ({ left }: { left: number }) =>
      `The ticket has only ${left === 1 ? '1 use' : `${left} uses`} left. None was taken.`,
    ({ left }: { left: number }) =>
      `Das Ticket hat nur noch ${left === 1 ? '1 Nutzung' : `${left} Nutzungen`}. Es wurde keine verbraucht.`,
  ),
  uses_of_check: usage(
    '`uses` takes several uses at once. Send it with the operation consume at an entrance: a check and a way out take no use.',
    'Eine Prüfung verbraucht keine Nutzung, ein Ausgang auch nicht: Mehrere Nutzungen gibt es nur beim Einlassen.',
  ),
  uses_below_consumed: conflict(
    '{consumed} uses are consumed already. The number of uses cannot be lower.',
    'Die Anzahl der Nutzungen kann nicht kleiner als {consumed} sein, weil so viele schon verbraucht sind.',
  ),
  ticket_used: conflict(
    'This ticket was used, is in the scan log, or belongs to a replacement, so it cannot be deleted. Cancel it instead.',
    'Dieses Ticket wurde benutzt, steht im Scan-Protokoll oder gehört zu einem Ersatz und kann deshalb nicht gelöscht werden. Stornieren Sie es stattdessen.',
  ),
  replace_cancelled: conflict(
    'This ticket is cancelled, so no replacement is issued for it. Reinstate it first, or create a new ticket.',
    'Dieses Ticket ist storniert, deshalb wird kein Ersatz dafür ausgestellt. Heben Sie zuerst die Stornierung auf, oder legen Sie ein neues Ticket an.',
  ),
  reference_known: conflict(
    'The organisation has a ticket with this reference.',
    'Die Organisation hat schon ein Ticket mit dieser Referenz.',
  ),
  reference_missing: usage(
    'Give the reference that is to be unique.',
    'Geben Sie die Referenz an, die es nur einmal geben soll.',
  ),
  references_many: usage(
    'More than {max} tickets have {count} references of the list. Choose columns that name each row, such as the position of an order.',
    'Mehr als {max} Tickets haben {count} Referenzen der Liste. Wählen Sie Spalten, die jede Zeile benennen, etwa die Position einer Bestellung.',
  ),
  ticket_replaced: conflict(
    'A replacement was issued for this ticket, so it stays cancelled.',
    'Für dieses Ticket wurde ein Ersatz ausgestellt, deshalb bleibt es storniert.',
  ),
  undo_reason: usage(
    'Give a reason of 1 to {max} characters in one line.',
    'Geben Sie einen Grund mit 1 bis {max} Zeichen in einer Zeile an.',
  ),
  undo_no_use: conflict(
    'Entry {entry} of the scan log took no use.',
    'Eintrag {entry} des Scan-Protokolls hat keine Nutzung verbraucht.',
  ),
  undo_twice: conflict(
    'The use of entry {entry} was already taken back, by entry {by} of the scan log.',
    'Die Nutzung von Eintrag {entry} wurde schon zurückgegeben, durch Eintrag {by} des Scan-Protokolls.',
  ),
  log_entry_missing: notFound(
    'The scan log has no entry {entry}. Old entries may have been removed. Check the number in the log.',
    'Das Scan-Protokoll hat keinen Eintrag {entry}. Alte Einträge wurden vielleicht entfernt.',
  ),

  list_type: usage(
    'Choose a CSV or JSON Lines file.',
    'Wählen Sie eine CSV- oder JSON-Lines-Datei.',
  ),
  list_too_large: limitReached(
    'The file is too large. Split it.',
    'Die Datei ist zu groß. Teilen Sie sie auf.',
  ),
  list_line_too_long: usage(
    'Line {line} has more than {max} bytes. Write one ticket on each line.',
    'Zeile {line} hat mehr als {max} Bytes. Schreiben Sie ein Ticket in jede Zeile.',
  ),
  list_lines_max: usage(
    'The file has more than {max} lines. Split it.',
    'Die Datei hat mehr als {max} Zeilen. Teilen Sie sie auf.',
  ),
  list_encoding: usage(
    ({ line, other }: { line: number; other?: string }) =>
      `Line ${line} is not UTF-8. Save the file as UTF-8 (in Excel: "CSV UTF-8")${other ? `, or have it read as ${other}` : ''}.`,
    ({ line, other }: { line: number; other?: string }) =>
      `Zeile ${line} ist nicht UTF-8. Speichern Sie die Datei als UTF-8 (in Excel: „CSV UTF-8“)${other ? `, oder wählen Sie die Kodierung ${other}` : ''}.`,
  ),
  list_workbook: usage(
    'The file is an old workbook (.xls), or a workbook with a password. Save it as .xlsx without a password, or the sheet as "CSV UTF-8".',
    'Die Datei ist eine alte Arbeitsmappe (.xls) oder eine mit Passwort. Speichern Sie sie als .xlsx ohne Passwort oder das Blatt als „CSV UTF-8“.',
  ),
  list_archive: usage(
    'The file is a zip archive or a workbook of another kind (.ods, .xlsb, Numbers). Save it as .xlsx, or the sheet as "CSV UTF-8".',
    'Die Datei ist ein ZIP-Archiv oder eine Arbeitsmappe anderer Art (.ods, .xlsb, Numbers). Speichern Sie sie als .xlsx oder das Blatt als „CSV UTF-8“.',
  ),
  list_workbook_damaged: usage(
    'The workbook cannot be read. Open it in a spreadsheet program and save it again, or save the sheet as "CSV UTF-8".',
    'Die Arbeitsmappe ist nicht lesbar. Öffnen Sie sie in einer Tabellenkalkulation und speichern Sie sie neu oder das Blatt als „CSV UTF-8“.',
  ),
  list_workbook_too_large: usage(
    'The workbook has more than {max} MiB or very many empty cells. Save the sheet as "CSV UTF-8".',
    'Die Arbeitsmappe hat mehr als {max} MiB oder sehr viele leere Zellen. Speichern Sie das Blatt als „CSV UTF-8“.',
  ),
  list_workbook_late: busy(
    'The workbook could not be read in five minutes, because this machine is too busy with other work. Try again later, or save the sheet as "CSV UTF-8".',
    'Die Arbeitsmappe war in fünf Minuten nicht zu lesen, weil dieser Rechner zu beschäftigt ist. Versuchen Sie es später noch einmal oder speichern Sie das Blatt als „CSV UTF-8“.',
  ),
  list_worksheet: usage(
    'The workbook has no worksheet "{name}". It has {names}.',
    'Die Arbeitsmappe hat kein Blatt „{name}“, sondern {names}.',
  ),
  list_no_workbook: usage(
    'The file is no .xlsx workbook, so it has no worksheet "{name}". Leave out the worksheet.',
    'Die Datei ist keine Arbeitsmappe (.xlsx) und hat deshalb kein Blatt „{name}“. Lassen Sie das Blatt weg.',
  ),
  list_web_page: usage(
    'The file is a web page or XML, whatever its name says. Open it in a spreadsheet program and save it as "CSV UTF-8".',
    'Die Datei ist eine Webseite oder XML, auch wenn ihr Name anders endet. Öffnen Sie sie in einer Tabellenkalkulation und speichern Sie sie als „CSV UTF-8“.',
  ),
  list_no_text: usage(
    'The file is not a text that can be read. Save the list as "CSV UTF-8".',
    'Die Datei ist kein lesbarer Text. Speichern Sie die Liste als „CSV UTF-8“.',
  ),
  list_utf32: usage(
    'The file is UTF-32. Save the list as UTF-8 (in Excel: "CSV UTF-8").',
    'Die Datei ist UTF-32. Speichern Sie die Liste als UTF-8 (in Excel: „CSV UTF-8“).',
  ),
  list_refused: usage(
    'Nothing was stored, because of these lines:',
    'Wegen dieser Zeilen wurde nichts gespeichert:',
  ),
  list_empty: usage(
    'The file has no rows. Write one ticket on each; a CSV file begins with headings.',
    'Die Datei hat keine Zeilen. Schreiben Sie ein Ticket in jede; eine CSV-Datei beginnt mit Überschriften.',
  ),
  list_no_ids: usage(
    'The list has no column with ticket ids. Create new tickets from its rows instead.',
    'Die Liste hat keine Spalte mit Ticket-IDs. Legen Sie aus ihren Zeilen neue Tickets an.',
  ),
  list_columns: usage(
    '"{text}" does not name the heading of a column. Write COLUMN=HEADING, such as firstName=Vorname. A heading with a comma goes in quotes.',
    '„{text}“ nennt nicht die Überschrift einer Spalte. Schreiben Sie SPALTE=ÜBERSCHRIFT, etwa firstName=Vorname. Eine Überschrift mit Komma gehört in Anführungszeichen.',
  ),
  column_unknown: usage(
    'This column is not known. Look at its values: assign it, or leave it out where it says nothing about tickets.',
    'Diese Spalte ist unbekannt. Sehen Sie sich ihre Werte an: Ordnen Sie sie zu, oder lassen Sie sie weg, wenn sie nichts über Tickets sagt.',
  ),
  column_state: usage(
    'This column may say that a row was cancelled, used or not paid. Choose the rows that count.',
    'Diese Spalte sagt vielleicht, dass eine Zeile storniert, eingelöst oder nicht bezahlt ist. Wählen Sie die Zeilen aus, die gelten.',
  ),
  column_quantity: usage(
    'This column may say how many tickets a row stands for.',
    'Diese Spalte sagt vielleicht, für wie viele Tickets eine Zeile steht.',
  ),
  column_garbled: usage(
    'This heading has wrong letters: the list has another encoding. Save it as UTF-8 (in Excel: "CSV UTF-8").',
    'Diese Überschrift hat falsche Buchstaben: Die Liste hat eine andere Kodierung. Speichern Sie sie als UTF-8 (in Excel: „CSV UTF-8“).',
  ),
  column_same: usage(
    'Two columns have this heading. Give one of them another, so that it is clear which is meant.',
    'Zwei Spalten haben diese Überschrift. Geben Sie einer davon eine andere, damit klar ist, welche gemeint ist.',
  ),
  list_separator: usage(
    'The cells seem to be separated by {sign}. Save the list with commas, semicolons or tabs between them.',
    'Die Zellen sind anscheinend durch {sign} getrennt. Speichern Sie die Liste mit Kommas, Semikolons oder Tabulatoren dazwischen.',
  ),
  list_title: usage(
    '"{text}" stands alone in the first line. The first line must have the headings: remove the lines above them.',
    '„{text}“ steht allein in der ersten Zeile. In der ersten Zeile müssen die Überschriften stehen: Entfernen Sie die Zeilen darüber.',
  ),
  column_twice: usage(
    'This column is assigned to the same field as "{other}". Leave one of them out.',
    'Diese Spalte ist demselben Feld zugeordnet wie „{other}“. Lassen Sie eine davon weg.',
  ),
  column_missing: usage(
    'The file does not have this column. It has: {headings}.',
    'Die Datei hat diese Spalte nicht. Sie hat: {headings}.',
  ),
  row_cells: usage(
    'The row has {cells} cells, but there are {headings} headings.',
    'Die Zeile hat {cells} Zellen, es gibt aber {headings} Überschriften.',
  ),
  row_garbled: usage(
    '"{text}" has wrong letters: the list has another encoding, or was saved in a wrong one before. Save it as UTF-8 (in Excel: "CSV UTF-8").',
    '„{text}“ hat falsche Buchstaben: Die Liste hat eine andere Kodierung oder wurde schon falsch gespeichert. Speichern Sie sie als UTF-8 (in Excel: „CSV UTF-8“).',
  ),
  row_left_over: usage(
    '"{text}" is what a program left in this cell. Write what is meant, or leave the cell empty.',
    '„{text}“ hat ein Programm in dieser Zelle zurückgelassen. Schreiben Sie hinein, was gemeint ist, oder lassen Sie sie leer.',
  ),
  row_merged: usage(
    'The cell is one of the merged cells {cells} of the sheet "{worksheet}", which have one value for all. Unmerge {cells}, and fill each cell.',
    'Die Zelle gehört zu den verbundenen Zellen {cells} des Blatts „{worksheet}“, die zusammen einen Wert haben. Heben Sie den Verbund {cells} auf, und füllen Sie jede Zelle.',
  ),
  row_no_heading: usage(
    '"{text}" is in a column without a heading. Give the column a heading, or empty the cell.',
    '„{text}“ steht in einer Spalte ohne Überschrift. Geben Sie der Spalte eine Überschrift, oder leeren Sie die Zelle.',
  ),
  row_odd: usage(
    'This row looks like no other: "{text}". Remove it when it is a sum or a remark; complete it when it is a guest.',
    'Diese Zeile sieht anders aus als alle anderen: „{text}“. Entfernen Sie sie, wenn sie eine Summe oder Bemerkung ist; ergänzen Sie sie, wenn sie ein Gast ist.',
  ),
  row_quantity: usage(
    '"{text}" is not a number of tickets from 0 to {max}.',
    '„{text}“ ist keine Anzahl von Tickets von 0 bis {max}.',
  ),
  row_one_ticket: usage(
    'The row has one ticket id, so it is one ticket, not {count}.',
    'Die Zeile hat eine Ticket-ID, ist also ein Ticket und nicht {count}.',
  ),
  rows_none_chosen: usage(
    'No row has {wanted} in the column {heading}. There are: {values}.',
    'In der Spalte {heading} steht in keiner Zeile {wanted}. Es gibt: {values}.',
  ),
  row_quote_open: usage(
    'The quote that begins cell {cell} is never closed.',
    'Das Anführungszeichen am Anfang von Zelle {cell} wird nie geschlossen.',
  ),
  row_quote_end: usage(
    'After the closing quote of cell {cell} comes "{text}"; a quote inside a cell is written twice.',
    'Nach dem schließenden Anführungszeichen von Zelle {cell} kommt „{text}“; in einer Zelle wird es doppelt geschrieben.',
  ),
  row_not_json: usage('This is not a JSON object.', 'Das ist kein JSON-Objekt.'),
  row_array_open: usage(
    'The array is not closed after this. End it with ].',
    'Die Liste wird danach nicht geschlossen. Beenden Sie sie mit ].',
  ),
  row_array_rest: usage(
    'There is text after the array. Remove it.',
    'Nach der Liste steht Text. Entfernen Sie ihn.',
  ),
  row_value: usage(
    'This must be a text, a number or null.',
    'Hier muss ein Text, eine Zahl oder null stehen.',
  ),
  row_future: usage('"{text}" is in the future.', '„{text}“ liegt in der Zukunft.'),
  row_ticket_id: usage(
    '"{text}" is not the id of a ticket, such as tkt_ab12cd_0123456789abcdefghij.',
    '„{text}“ ist keine Ticket-ID wie tkt_ab12cd_0123456789abcdefghij.',
  ),
  row_other_event: usage(
    ({ named, chosen }: { named: string; chosen?: string }) =>
      `The row is for the event "${named}", but ${chosen ? `the list is for "${chosen}"` : 'the ticket id is of another'}.`,
    ({ named, chosen }: { named: string; chosen?: string }) =>
      `Die Zeile ist für die Veranstaltung „${named}“, aber ${chosen ? `die Liste für „${chosen}“` : 'die Ticket-ID ist von einer anderen'}.`,
  ),
  row_code: usage(
    'This code does not belong to the ticket.',
    'Dieser Code gehört nicht zu dem Ticket.',
  ),
  row_batch: usage(
    '"{text}" is not a batch, such as bat_0123456789.',
    '„{text}“ ist keine Serie wie bat_0123456789.',
  ),
  row_consumed: usage(
    '"{text}" is not a number of uses from 0 to {max}.',
    '„{text}“ ist keine Anzahl von Nutzungen von 0 bis {max}.',
  ),
  row_twice: usage(
    'This ticket is also on line {line}.',
    'Dieses Ticket steht auch in Zeile {line}.',
  ),
  row_reference_missing: usage(
    'Each row needs a reference here: without one nobody could tell that it was imported before.',
    'Hier braucht jede Zeile eine Referenz: Ohne sie erkennt niemand, dass sie schon importiert wurde.',
  ),
  row_reference_twice: usage(
    'This reference is also on line {line}. Choose a column that names each row, such as the position of an order.',
    'Diese Referenz steht auch in Zeile {line}. Wählen Sie eine Spalte, die jede Zeile benennt, etwa die Position einer Bestellung.',
  ),
  rows_max: usage(
    'One file has at most {max} tickets. Split it.',
    'Eine Datei hat höchstens {max} Tickets. Teilen Sie sie auf.',
  ),
  list_changes_max: usage(
    'The list makes or changes {count} tickets, and at once at most {max} can be. Split it.',
    'Die Liste legt {count} Tickets an oder ändert sie; auf einmal gehen höchstens {max}. Teilen Sie sie auf.',
  ),
  row_unknown_event: usage(
    'There is no event with the id {event}.',
    'Es gibt keine Veranstaltung mit der ID {event}.',
  ),
  row_existing: usage(
    'This ticket already exists. It stays as it is when existing tickets are skipped.',
    'Dieses Ticket gibt es schon. Es bleibt, wie es ist, wenn vorhandene Tickets übersprungen werden.',
  ),

  day_invalid: usage(
    '"{text}" is not a day of the years 1970 to 9998, such as 2026-11-22 or 22.11.2026.',
    '„{text}“ ist kein Tag der Jahre 1970 bis 9998 wie 22.11.2026.',
  ),
  period_reversed: usage(
    'The period ends before it begins.',
    'Der Zeitraum endet, bevor er beginnt.',
  ),
  period_too_long: usage(
    ({ by, max, days }: { by: string; max: number; days: number }) =>
      by === 'hour'
        ? `By hour, a period has at most ${max} days, not ${days}. Choose a shorter one, or rows by day.`
        : `A period has at most ${max} days, not ${days}. Choose a shorter one.`,
    ({ by, max, days }: { by: string; max: number; days: number }) =>
      by === 'hour'
        ? `Nach Stunden hat ein Zeitraum höchstens ${max} Tage, nicht ${days}. Wählen Sie einen kürzeren oder Zeilen nach Tagen.`
        : `Ein Zeitraum hat höchstens ${max} Tage, nicht ${days}. Wählen Sie einen kürzeren.`,
  ),
};
