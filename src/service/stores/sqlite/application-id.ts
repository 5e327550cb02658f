/** Of the SQLite files of ticketscan (`PRAGMA application_id`): "tscn". */
export const APPLICATION_ID = 0x7473636e;
