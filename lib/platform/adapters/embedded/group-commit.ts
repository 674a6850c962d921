import { type Database, describeDamage, errorCode, isDamage, maxGroup } from './database.ts'
import { type DiskSpace, isOutOfSpace } from './disk-space.ts'

export interface Writer {
  /**
   * Runs synchronous work in a transaction; resolves with its result once that is durable. If the work throws, its writes are undone and the
   * promise rejects with the same error; other work of the group is not affected.
   */
  write<T>(work: () => T): Promise<T>
  /** Runs a synchronous read outside a transaction; if it finds damage, all later writes fail. */
  read<T>(work: () => T): T
  /**
   * Called before any other read, when the writes of successful work were undone, so that in-memory state derived from them can be dropped. Work
   * that is undone because it threw is not reported.
   */
  onRollback(reset: () => void): void
  /** Resolves when all requested writes are done. */
  idle(): Promise<void>
}

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

export interface WriterOptions {
  readonly disk: DiskSpace
  /** Called once, when the writer can't guarantee durability any more: the process should end and be restarted. */
  readonly onFatalError?: (error: Error) => void
}

/**
 * Writes that arrive while the disk is busy share one transaction and one sync, so throughput grows with load. Each caller still gets its own
 * result, and only once it is durable.
 */
export function groupCommit(database: Database, { disk, onFatalError = () => {} }: WriterOptions): Writer {
  const { sql } = database
  const begin = sql.prepare('BEGIN IMMEDIATE')
  const commit = sql.prepare('COMMIT')
  const savepoint = sql.prepare('SAVEPOINT work')
  const release = sql.prepare('RELEASE work')
  const undo = sql.prepare('ROLLBACK TO work')
  const waiting: Waiting[] = []
  const rollbackListeners: (() => void)[] = []
  let flushing: Promise<void> | undefined
  let fatalError: Error | undefined

  return {
    write: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ work, resolve, reject })
        flushing ??= flush()
      }),
    read: work => {
      try {
        return work()
      } catch (error) {
        throw isDamage(error) ? failForGood(error) : error
      }
    },
    onRollback: reset => void rollbackListeners.push(reset),
    idle: async () => {
      await flushing
    },
  }

  async function flush(): Promise<void> {
    // Collects the writes of the rest of this tick.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const group = waiting.splice(0, maxGroup)
      try {
        if (fatalError) throw fatalError
        const settlers = transact(group)
        await sync()
        for (const settle of settlers) settle()
      } catch (error) {
        const reason = reasonOf(error)
        for (const { reject } of group) reject(reason)
      }
    }
    // In the same tick as the check of `waiting`: a later write starts the next flush.
    flushing = undefined
  }

  function transact(group: readonly Waiting[]): (() => void)[] {
    begin.run()
    try {
      const settlers = group.map(attempt)
      commit.run()
      return settlers
    } catch (error) {
      if (sql.isTransaction) sql.exec('ROLLBACK')
      for (const reset of rollbackListeners) reset()
      throw error
    }
  }

  function attempt({ work, resolve, reject }: Waiting): () => void {
    savepoint.run()
    try {
      const result = work() as never
      return () => resolve(result)
    } catch (error) {
      if (!sql.isTransaction) throw error // SQLite itself rolled back everything: the disk is full or failing
      undo.run()
      const reason = reasonOf(error)
      return () => reject(reason)
    } finally {
      if (sql.isTransaction) release.run()
    }
  }

  /**
   * After a failed sync the kernel may drop the pages and report success next time, so durability can't be guaranteed
   * any more.
   */
  async function sync(): Promise<void> {
    try {
      await database.sync()
    } catch (cause) {
      throw failForGood(cause)
    }
  }

  /** The error for the caller; also reports failures of the disk. */
  function reasonOf(error: unknown): unknown {
    if (isOutOfSpace(error)) return disk.exhausted()
    return isDiskFailure(error) || isDamage(error) ? failForGood(error) : error
  }

  function failForGood(cause: unknown): Error {
    if (fatalError) return fatalError
    const unwritten = `the hub's database could not be written to disk: ${(cause as Error).message}`
    fatalError = new Error(isDamage(cause) ? describeDamage(database.file, cause) : unwritten, { cause })
    onFatalError(fatalError)
    return fatalError
  }
}

/** SQLITE_IOERR: a system call of SQLite failed. */
const isDiskFailure = (error: unknown): boolean => errorCode(error) === 10
