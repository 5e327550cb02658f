import { isAccountId, type NewAuditLogEntry } from '../../../core/administrative-records.ts';
import { changedKey } from '../../../core/changed-key.ts';
import type { ApiKeyChanges, ApiKeyRecord, ScannerRecord } from '../../../core/records.ts';
import { keyOfScanner, scannerOfKey } from '../record-rules.ts';
import type { KeyLookup, KeyOfHash } from '../record-store.ts';
import { noSuchEventThere, notFound, tooManyKeys } from '../store-errors.ts';
import { MemoryOrganisations } from './memory-organisations.ts';

/** Organisations, events and keys. */
export class MemoryKeys extends MemoryOrganisations {
  async findKeyByHash(hash: string): Promise<KeyLookup | undefined> {
    const found = [...this.state.keys.values()].find(
      (key) => key.hash === hash || key.previousHash === hash,
    );
    if (!found || isAccountId(found.record.id)) return undefined;
    const { limits, timeZone } = this.state.organisation(found.record.organisationId);
    const isPrevious = found.hash !== hash;
    const zone = timeZone === undefined ? {} : { timeZone };
    return { key: found.record, limits, ...zone, revision: this.state.revision, isPrevious };
  }

  async findKeysByHash(hashes: readonly string[]): Promise<KeyOfHash[]> {
    const wanted = new Set(hashes);
    const keys = [...this.state.keys.values(), ...this.state.deletedKeys.values()];
    return keys
      .filter(({ hash }) => wanted.has(hash))
      .map(({ record: { id, organisationId, type, active }, hash }) => {
        return { hash, id, organisationId, type, active, isDeleted: !this.state.keys.has(id) };
      });
  }

  async createKey(key: ApiKeyRecord, hash: string, auditEntry: NewAuditLogEntry): Promise<void> {
    const { keysMax } = this.state.organisation(key.organisationId).limits;
    // Not awaited: between counting and adding nobody else may add.
    const siblings = [...this.state.keys.values()].filter(
      ({ record }) => record.organisationId === key.organisationId && !isAccountId(record.id),
    );
    if (siblings.length >= keysMax) throw tooManyKeys(keysMax);
    this.#checkEvents(key);
    if (this.state.keys.has(key.id)) throw new Error(`there is a key ${key.id} already`);
    this.state.keys.set(key.id, { record: key, hash });
    this.changed(auditEntry);
  }

  async listKeys(): Promise<ApiKeyRecord[]> {
    return this.#records(false);
  }

  async addScanner(scanner: ScannerRecord, auditEntry: NewAuditLogEntry): Promise<void> {
    if (this.state.keys.has(scanner.id)) return;
    this.state.organisation(scanner.organisationId);
    const { key, hash } = keyOfScanner(scanner);
    this.state.keys.set(key.id, { record: key, hash });
    this.changed(auditEntry);
  }

  async listScanners(): Promise<ScannerRecord[]> {
    return this.#records(true).map(scannerOfKey);
  }

  #records(ofAccounts: boolean): ApiKeyRecord[] {
    const all = [...this.state.keys.values()].map((key) => key.record);
    return all.filter(({ id }) => isAccountId(id) === ofAccounts);
  }

  async updateKey(
    keyId: string,
    changes: ApiKeyChanges,
    auditEntry: NewAuditLogEntry,
  ): Promise<ApiKeyRecord> {
    const before = this.state.keys.get(keyId);
    if (!before) throw notFound('key', keyId);
    const record = changedKey(before.record, changes);
    this.#checkEvents(record);
    this.state.keys.set(keyId, { ...before, record });
    this.changed(auditEntry);
    return record;
  }

  async rotateKey(
    keyId: string,
    hash: string,
    previousUntil: number,
    auditEntry: NewAuditLogEntry,
  ): Promise<ApiKeyRecord> {
    const before = this.state.keys.get(keyId);
    if (!before) throw notFound('key', keyId);
    const rotations = (before.record.rotations ?? 0) + 1;
    const record = { ...before.record, rotations, previousUntil };
    this.state.keys.set(keyId, { record, hash, previousHash: before.hash });
    this.changed(auditEntry);
    return record;
  }

  async keyLastUsedAt(keyId: string): Promise<number | null> {
    const uses = [...this.state.lastUses].filter(([name]) => name.endsWith(` ${keyId}`));
    return uses.length === 0 ? null : Math.max(...uses.map(([, at]) => at));
  }

  async deleteKey(keyId: string, at: number, auditEntry: NewAuditLogEntry): Promise<void> {
    const key = this.state.keys.get(keyId);
    if (!key) throw notFound('key', keyId);
    this.state.keys.delete(keyId);
    const record = { ...key.record, active: false };
    const { hash, previousHash = null } = key;
    this.state.deletedKeys.set(keyId, { record, hash, previousHash, deletedAt: at });
    this.changed(auditEntry);
  }

  #checkEvents(key: ApiKeyRecord): void {
    if (key.events === 'all') return;
    for (const eventId of key.events) {
      if (this.state.events.get(eventId)?.organisationId !== key.organisationId) {
        throw noSuchEventThere(eventId);
      }
    }
  }
}
