import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../ports/clock.ts'
import { StoreError } from '../../ports/objects.ts'
import { errorCode } from './database.ts'

/** Tracks whether the disk of the data directory is full. While it is, probes until there is space again. */
export interface DiskSpace {
  /** Records that a write found no space left; returns the error for the writer. */
  exhausted(): StoreError
  /** One sentence with the problem and the remedy; undefined while there is space. */
  problem(): string | undefined
  close(): void
}

export interface DiskSpaceOptions {
  readonly clock: Pick<Clock, 'sleep'>
  /** Called each time there is space again, so that failed work can be retried at once. */
  readonly onSpaceFreed?: () => void
}

const probeEveryMs = 2_000
/** With less free space than this, the next larger object would fail again. */
const probeBytes = 1024 * 1024

/**
 * Probes after a call of `exhausted` only: writes a file of 1 MB to the directory every two seconds, until that works.
 */
export function diskSpace(directory: string, { clock, onSpaceFreed = () => {} }: DiskSpaceOptions): DiskSpace {
  const closed = new AbortController()
  const problem = `no space left on the disk of ${directory}: free some, and the hub continues by itself`
  let isFull = false

  const probe = async (): Promise<boolean> => {
    const path = join(directory, `space-probe-${randomUUID()}`)
    try {
      await writeFile(path, Buffer.alloc(probeBytes), { mode: 0o600, flush: true })
      return true
    } catch (error) {
      if (isOutOfSpace(error)) return false
      return true // Other problems are reported by the writes that run into them.
    } finally {
      await rm(path, { force: true }).catch(() => {})
    }
  }

  const waitForSpace = async (): Promise<void> => {
    do await clock.sleep(probeEveryMs, closed.signal)
    while (!(await probe()))
    isFull = false
    onSpaceFreed()
  }

  return {
    exhausted: () => {
      if (!isFull && !closed.signal.aborted) {
        isFull = true
        waitForSpace().catch(() => {}) // ends with `close`
      }
      return new StoreError('full', problem)
    },
    problem: () => (isFull ? problem : undefined),
    close: () => closed.abort(),
  }
}

/** An error of a system call, or of SQLite (SQLITE_FULL). */
export const isOutOfSpace = (error: unknown): boolean => {
  const { code } = error as { readonly code?: string }
  return code === 'ENOSPC' || code === 'EDQUOT' || errorCode(error) === 13
}
