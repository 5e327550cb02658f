import type { Store } from './store.ts';

export type StoreMethod = Exclude<keyof Store, 'batchesInFlight'>;

/** A store that hands every call on to another one: to another thread, or in turn. Methods are described in `Store`. */
export abstract class ForwardingStore implements Store {
  protected abstract forward<Name extends StoreMethod>(
    method: Name,
    args: Parameters<Store[Name]>,
  ): ReturnType<Store[Name]>;

  readonly commitScans: Store['commitScans'] = (...args) => this.forward('commitScans', args);
  readonly createOrganisation: Store['createOrganisation'] = (...args) =>
    this.forward('createOrganisation', args);
  readonly listOrganisations: Store['listOrganisations'] = (...args) =>
    this.forward('listOrganisations', args);
  readonly editOrganisation: Store['editOrganisation'] = (...args) =>
    this.forward('editOrganisation', args);
  readonly createEvent: Store['createEvent'] = (...args) => this.forward('createEvent', args);
  readonly renameEvent: Store['renameEvent'] = (...args) => this.forward('renameEvent', args);
  readonly deleteOrganisation: Store['deleteOrganisation'] = (...args) =>
    this.forward('deleteOrganisation', args);
  readonly archiveEvent: Store['archiveEvent'] = (...args) => this.forward('archiveEvent', args);
  readonly deleteEvent: Store['deleteEvent'] = (...args) => this.forward('deleteEvent', args);
  readonly beginDeletion: Store['beginDeletion'] = (...args) => this.forward('beginDeletion', args);
  readonly continueDeletion: Store['continueDeletion'] = (...args) =>
    this.forward('continueDeletion', args);
  readonly listEvents: Store['listEvents'] = (...args) => this.forward('listEvents', args);
  readonly createKey: Store['createKey'] = (...args) => this.forward('createKey', args);
  readonly findKeyByHash: Store['findKeyByHash'] = (...args) => this.forward('findKeyByHash', args);
  readonly findKeysByHash: Store['findKeysByHash'] = (...args) =>
    this.forward('findKeysByHash', args);
  readonly listKeys: Store['listKeys'] = (...args) => this.forward('listKeys', args);
  readonly addScanner: Store['addScanner'] = (...args) => this.forward('addScanner', args);
  readonly listScanners: Store['listScanners'] = (...args) => this.forward('listScanners', args);
  readonly updateKey: Store['updateKey'] = (...args) => this.forward('updateKey', args);
  readonly deleteKey: Store['deleteKey'] = (...args) => this.forward('deleteKey', args);
  readonly rotateKey: Store['rotateKey'] = (...args) => this.forward('rotateKey', args);
  readonly keyLastUsedAt: Store['keyLastUsedAt'] = (...args) => this.forward('keyLastUsedAt', args);
  readonly listOccupancy: Store['listOccupancy'] = (...args) => this.forward('listOccupancy', args);
  readonly resetOccupancy: Store['resetOccupancy'] = (...args) =>
    this.forward('resetOccupancy', args);
  readonly requestsInMonth: Store['requestsInMonth'] = (...args) =>
    this.forward('requestsInMonth', args);
  readonly insertTickets: Store['insertTickets'] = (...args) => this.forward('insertTickets', args);
  readonly findTicket: Store['findTicket'] = (...args) => this.forward('findTicket', args);
  readonly findTickets: Store['findTickets'] = (...args) => this.forward('findTickets', args);
  readonly listTickets: Store['listTickets'] = (...args) => this.forward('listTickets', args);
  readonly searchTickets: Store['searchTickets'] = (...args) => this.forward('searchTickets', args);
  readonly countTickets: Store['countTickets'] = (...args) => this.forward('countTickets', args);
  readonly cancelTickets: Store['cancelTickets'] = (...args) => this.forward('cancelTickets', args);
  readonly editTicket: Store['editTicket'] = (...args) => this.forward('editTicket', args);
  readonly deleteTickets: Store['deleteTickets'] = (...args) => this.forward('deleteTickets', args);
  readonly undoUse: Store['undoUse'] = (...args) => this.forward('undoUse', args);
  readonly eraseHolders: Store['eraseHolders'] = (...args) => this.forward('eraseHolders', args);
  readonly findDocument: Store['findDocument'] = (...args) => this.forward('findDocument', args);
  readonly listDocuments: Store['listDocuments'] = (...args) => this.forward('listDocuments', args);
  readonly putDocument: Store['putDocument'] = (...args) => this.forward('putDocument', args);
  readonly deleteDocument: Store['deleteDocument'] = (...args) =>
    this.forward('deleteDocument', args);
  readonly appendAuditEntry: Store['appendAuditEntry'] = (...args) =>
    this.forward('appendAuditEntry', args);
  readonly readAuditLog: Store['readAuditLog'] = (...args) => this.forward('readAuditLog', args);
  readonly readLog: Store['readLog'] = (...args) => this.forward('readLog', args);
  readonly searchLog: Store['searchLog'] = (...args) => this.forward('searchLog', args);
  readonly countOutcomes: Store['countOutcomes'] = (...args) => this.forward('countOutcomes', args);
  readonly sumScans: Store['sumScans'] = (...args) => this.forward('sumScans', args);
  readonly listDevices: Store['listDevices'] = (...args) => this.forward('listDevices', args);
  readonly prunableLog: Store['prunableLog'] = (...args) => this.forward('prunableLog', args);
  readonly pruneLog: Store['pruneLog'] = (...args) => this.forward('pruneLog', args);
  readonly beginSnapshot: Store['beginSnapshot'] = (...args) => this.forward('beginSnapshot', args);
  readonly readSnapshot: Store['readSnapshot'] = (...args) => this.forward('readSnapshot', args);
  readonly endSnapshot: Store['endSnapshot'] = (...args) => this.forward('endSnapshot', args);
  readonly importRecords: Store['importRecords'] = (...args) => this.forward('importRecords', args);
  readonly unfinishedCopy: Store['unfinishedCopy'] = (...args) =>
    this.forward('unfinishedCopy', args);
  readonly endImport: Store['endImport'] = (...args) => this.forward('endImport', args);
  readonly verify: Store['verify'] = (...args) => this.forward('verify', args);
  readonly purgeErased: Store['purgeErased'] = (...args) => this.forward('purgeErased', args);
  readonly info: Store['info'] = (...args) => this.forward('info', args);
  readonly checkWritable: Store['checkWritable'] = (...args) => this.forward('checkWritable', args);
  readonly close: Store['close'] = (...args) => this.forward('close', args);
}
