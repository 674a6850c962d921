import { type Database, describeDamage, errorCode, isDamage, maxGroup } from './database.ts'
import { type DiskSpace, isOutOfSpace } from './disk-space.ts'

export interface Writer {
  /**
   * Runs synchronous work in a transaction; resolves with its result when it is durable. When the work throws, what it
   * wrote is undone and the promise rejects with the same error; others in its group are not touched.
   */
  write<T>(work: () => T): Promise<T>
  /** Runs a synchronous read, which needs no transaction; what it finds damaged breaks the writer. */
  read<T>(work: () => T): T
  /**
   * Called before anybody can read, when what work has written was undone: what it keeps in memory of that was never true. Work that is
   * undone for an error of its own is not told of.
   */
  onUndone(forget: () => void): void
  /** Resolves when all that was asked for is written. */
  idle(): Promise<void>
}

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

export interface WriterOptions {
  readonly disk: DiskSpace
  /** Called once, when nothing can be promised any more: the process should end, and be started anew. */
  readonly onBroken?: (error: Error) => void
}

/**
 * Writes that come while the disk is busy go in one transaction and share one sync, so throughput grows with load while
 * each caller still learns its own result, and only when it is durable.
 */
export function groupCommit(database: Database, { disk, onBroken = () => {} }: WriterOptions): Writer {
  const { sql } = database
  const begin = sql.prepare('BEGIN IMMEDIATE')
  const commit = sql.prepare('COMMIT')
  const savepoint = sql.prepare('SAVEPOINT work')
  const release = sql.prepare('RELEASE work')
  const undo = sql.prepare('ROLLBACK TO work')
  const waiting: Waiting[] = []
  const forgetting: (() => void)[] = []
  let flushing: Promise<void> | undefined
  let broken: Error | undefined

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
        throw isDamage(error) ? breakOff(error) : error
      }
    },
    onUndone: forget => void forgetting.push(forget),
    idle: async () => {
      await flushing
    },
  }

  async function flush(): Promise<void> {
    // The rest of this tick may bring more.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const group = waiting.splice(0, maxGroup)
      try {
        if (broken) throw broken
        const settlements = transact(group)
        await syncOrBreak()
        for (const settle of settlements) settle()
      } catch (error) {
        const reason = reasonOf(error)
        for (const { reject } of group) reject(reason)
      }
    }
    // In the same tick as the check that nothing is waiting: a write that comes later starts the next flush.
    flushing = undefined
  }

  function transact(group: readonly Waiting[]): (() => void)[] {
    begin.run()
    try {
      const settlements = group.map(attempt)
      commit.run()
      return settlements
    } catch (error) {
      if (sql.isTransaction) sql.exec('ROLLBACK')
      for (const forget of forgetting) forget()
      throw error
    }
  }

  function attempt({ work, resolve, reject }: Waiting): () => void {
    savepoint.run()
    try {
      const result = work() as never
      return () => resolve(result)
    } catch (error) {
      if (!sql.isTransaction) throw error // SQLite itself undid all of it: the disk is full, or fails
      undo.run()
      const reason = reasonOf(error)
      return () => reject(reason)
    } finally {
      if (sql.isTransaction) release.run()
    }
  }

  /** After a failed sync the kernel may drop the pages and report success next time: nothing may be promised any more. */
  async function syncOrBreak(): Promise<void> {
    try {
      await database.sync()
    } catch (cause) {
      throw breakOff(cause)
    }
  }

  /** What the caller is told; that of the disk is told to those who look after it as well. */
  function reasonOf(error: unknown): unknown {
    if (isOutOfSpace(error)) return disk.exhausted()
    return isDiskFailure(error) || isDamage(error) ? breakOff(error) : error
  }

  function breakOff(cause: unknown): Error {
    if (broken) return broken
    const unwritten = `the hub's database could not be written to disk: ${(cause as Error).message}`
    broken = new Error(isDamage(cause) ? describeDamage(database.file, cause) : unwritten, { cause })
    onBroken(broken)
    return broken
  }
}

/** SQLITE_IOERR: a system call failed in SQLite's hands. */
const isDiskFailure = (error: unknown): boolean => errorCode(error) === 10
