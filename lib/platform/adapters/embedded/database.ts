import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DataDirectoryError } from './data-directory.ts'

export interface Database {
  readonly file: string
  readonly sql: DatabaseSync
  /** Whether nothing was ever stored in it. */
  readonly empty: boolean
  /** Increases with every start, to distinguish values issued by an earlier process from new ones. */
  readonly epoch: number
  /** Resolves once everything committed before the call would survive a power failure. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Maximum size in bytes of the write-ahead log file after a checkpoint. */
const maxLog = 8 * 1024 * 1024

/** Maximum number of changes that are committed, and visible, before they are synced. */
export const maxGroup = 1000

/**
 * Opens the hub's only database file and locks it until `close` or the end of the process, however it ends: a second process fails with
 * DataDirectoryError. It is a kernel lock, so no stale lock file can remain.
 */
export async function openDatabase(file: string): Promise<Database> {
  await createPrivate(file)
  const sql = new DatabaseSync(file)
  try {
    // EXCLUSIVE keeps the lock, and keeps the index of the write-ahead log in our memory instead of a shared file.
    sql.exec('PRAGMA locking_mode = EXCLUSIVE')
    sql.exec('PRAGMA auto_vacuum = INCREMENTAL') // only has an effect on an empty file; see `requireCompactable`
    sql.exec('PRAGMA journal_mode = WAL')
    sql.exec(`PRAGMA journal_size_limit = ${maxLog}`)
    sql.exec('BEGIN EXCLUSIVE; COMMIT')
    checkIntegrity(sql)
    requireCompactable(sql)
    migrate(sql)
    // Versions that a power failure took back may have been seen by readers, so they are not issued again.
    sql.exec(`UPDATE sqlite_sequence SET seq = seq + ${maxGroup} WHERE name = 'records'`)
    const { epoch } = sql.prepare('UPDATE hub SET epoch = epoch + 1 RETURNING epoch').get() as { epoch: number }
    // FULL would make every commit wait for the disk on the event loop (3 ms here). NORMAL leaves the log unsynced at commit, and `sync` below
    // catches up on a thread of libuv's pool. The guarantee is the same as with FULL: a caller learns of success only once its log frames are on
    // disk, frames reach the disk in commit order, and recovery stops at the first torn frame. A killed process loses nothing in either mode: the
    // kernel has the pages.
    sql.exec('PRAGMA synchronous = NORMAL')
    const log = await open(`${file}-wal`, 'r')
    await syncDirectory(dirname(file))
    return {
      file,
      sql,
      empty: sql.prepare('SELECT 1 FROM records LIMIT 1').get() === undefined,
      epoch,
      sync: () => log.datasync(),
      close: () => close(sql, log),
    }
  } catch (cause) {
    sql.close()
    if (isBusy(cause))
      throw new DataDirectoryError(
        `another process is using ${dirname(file)}: a data directory serves one hub at a time`,
      )
    if (isDamage(cause)) throw new DataDirectoryError(describeDamage(file, cause), { cause })
    throw new DataDirectoryError(`cannot open the database ${file}: ${(cause as Error).message}`, { cause })
  }
}

/** Reads every page (2 GB/s), so that damage is found at the start and not when the damaged page is needed. */
function checkIntegrity(sql: DatabaseSync): void {
  const { quick_check: finding } = sql.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
  if (finding !== 'ok') throw Object.assign(new Error(finding.replaceAll(/\s+/g, ' ')), { errcode: 11 })
}

/** Databases of older versions could not return space to the disk: they are rewritten, once. */
function requireCompactable(sql: DatabaseSync): void {
  const { auto_vacuum: mode } = sql.prepare('PRAGMA auto_vacuum').get() as { auto_vacuum: number }
  if (mode === 2) return
  try {
    sql.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM')
  } catch (error) {
    if (errorCode(error) !== 13) throw error // with a full disk, the next start tries again
  }
}

const steppedPages = 500
const worthwhile = { bytes: 8 * 1024 * 1024, part: 1 / 4 }

/**
 * Returns some free pages to the disk, if there are many. Returns whether another step is worthwhile. Runs in a transaction of its own, which takes
 * milliseconds.
 */
export function compactStep(sql: DatabaseSync): boolean {
  const pragma = (name: string) => sql.prepare(`PRAGMA ${name}`).get()![name] as number
  const free = pragma('freelist_count')
  if (free * pragma('page_size') < worthwhile.bytes || free < pragma('page_count') * worthwhile.part) return false
  sql.exec(`PRAGMA incremental_vacuum(${steppedPages})`)
  return true
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
export const isDamage = (error: unknown): boolean => [11, 26].includes(errorCode(error))

/** The message of a damaged database, with what an operator can do. */
export const describeDamage = (file: string, cause: unknown): string =>
  `the database ${file} is damaged (${(cause as Error).message}): put the data directory back from a backup, or move ${basename(file)} and ${basename(file)}-wal away to begin with an empty hub`

/** SQLite's primary result code. */
export const errorCode = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) % 256

/** SQLite would make the file readable for all; its log inherits the mode of the file. */
async function createPrivate(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** SQLITE_BUSY. */
const isBusy = (error: unknown): boolean => errorCode(error) === 5

async function close(sql: DatabaseSync, log: FileHandle): Promise<void> {
  await log.close()
  sql.close()
}

/** Makes new entries of a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/**
 * `records` holds states of objects, and rows never change: the current states and the change log, in which each row refers to the row that it
 * replaced. `heads` refers to the current record of each object. `collection` is `Kind.group`.
 */
const schema = `
CREATE TABLE hub (only INTEGER PRIMARY KEY CHECK (only = 1), epoch INTEGER NOT NULL) STRICT;
INSERT INTO hub VALUES (1, 0);

CREATE TABLE records (
  version INTEGER PRIMARY KEY AUTOINCREMENT,
  collection TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  replaces INTEGER,
  deletes INTEGER NOT NULL,
  refers_to TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
INSERT INTO sqlite_sequence VALUES ('records', 0);
CREATE INDEX records_of_collection ON records (collection, version);

CREATE TABLE heads (
  collection TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  due INTEGER,
  expires INTEGER,
  PRIMARY KEY (collection, namespace, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX heads_due ON heads (due) WHERE due IS NOT NULL;
CREATE INDEX heads_expires ON heads (expires) WHERE expires IS NOT NULL;

CREATE TABLE refers (
  target TEXT NOT NULL,
  collection TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (target, collection, namespace, name)
) STRICT, WITHOUT ROWID;

-- Up to which version a collection's changes have been forgotten, and which version was the last one at some times.
CREATE TABLE forgotten (collection TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE marks (at INTEGER NOT NULL, version INTEGER NOT NULL) STRICT;
`

/** The current objects with a label (`key=value`). Sealed bodies have none: only JSON bodies are parsed. */
const labels = `
ALTER TABLE heads ADD COLUMN labels TEXT NOT NULL DEFAULT '[]';
CREATE TABLE labels (
  collection TEXT NOT NULL,
  label TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (collection, label, namespace, name)
) STRICT, WITHOUT ROWID;
UPDATE heads SET labels = (
  SELECT json_group_array(l.key || '=' || l.value)
  FROM records r, json_each(CASE WHEN r.body LIKE '{%' THEN r.body ELSE '{}' END, '$.metadata.labels') l
  WHERE r.version = heads.version);
INSERT INTO labels SELECT h.collection, l.value, h.namespace, h.name FROM heads h, json_each(h.labels) l;
`

/** What passes have done. `started`, `repeated` and `expires` are milliseconds since the epoch. */
const runs = `
CREATE TABLE runs (
  namespace TEXT NOT NULL,
  started INTEGER NOT NULL,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  alike TEXT,
  repeats INTEGER NOT NULL,
  repeated INTEGER,
  expires INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (namespace, started, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_of_unit ON runs (namespace, unit, started, name);
CREATE INDEX runs_started ON runs (started);
CREATE INDEX runs_expires ON runs (expires);
`

/** Calls of webhooks, by the UID of their Receiver, and the requests that were processed. A row without body has outcomes only. */
const deliveries = `
CREATE TABLE deliveries (
  receiver TEXT NOT NULL,
  started INTEGER NOT NULL,
  name TEXT NOT NULL,
  body BLOB,
  used TEXT NOT NULL DEFAULT '{}',
  outcomes TEXT NOT NULL DEFAULT '{}',
  expires INTEGER NOT NULL,
  payload BLOB,
  payload_expires INTEGER,
  PRIMARY KEY (receiver, started, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_started ON deliveries (started);
CREATE INDEX deliveries_expires ON deliveries (expires);
CREATE INDEX deliveries_payload_expires ON deliveries (payload_expires) WHERE payload_expires IS NOT NULL;
CREATE TABLE processed_requests (
  receiver TEXT NOT NULL,
  request TEXT NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (receiver, request)
) STRICT, WITHOUT ROWID;
CREATE INDEX processed_requests_expires ON processed_requests (expires);
`

/** What passes use, in daily sums. */
const usage = `
CREATE TABLE usage (
  namespace TEXT NOT NULL,
  day TEXT NOT NULL,
  cluster TEXT NOT NULL,
  passes REAL NOT NULL,
  ms REAL NOT NULL,
  requests REAL NOT NULL,
  bytes REAL NOT NULL,
  readunits REAL NOT NULL,
  writeunits REAL NOT NULL,
  gbms REAL NOT NULL,
  PRIMARY KEY (namespace, day, cluster)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_of_day ON usage (day);
`

/** What runs are selected by, in an index that a scan reads in place of their bodies. */
const runFacts = `
ALTER TABLE runs ADD COLUMN facts TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_facts ON runs (namespace, started, name, expires, facts);
`

/** Requests that wrote, numbered in the order in which they came. `started` and `expires` are milliseconds since the epoch. */
const audit = `
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  started INTEGER NOT NULL,
  name TEXT NOT NULL,
  expires INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX audit_started ON audit (started, name);
`

/** Migrations from one schema version to the next; append only. */
const migrations = [schema, labels, runs, deliveries, usage, runFacts, audit]

function migrate(sql: DatabaseSync): void {
  const { user_version: from } = sql.prepare('PRAGMA user_version').get() as { user_version: number }
  if (from > migrations.length) throw new Error('it was written by a newer version of Keelson')
  if (from === migrations.length) return
  sql.exec(`BEGIN; ${migrations.slice(from).join('')} PRAGMA user_version = ${migrations.length}; COMMIT`)
}
