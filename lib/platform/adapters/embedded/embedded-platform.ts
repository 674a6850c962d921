import type { Clock } from '../../ports/clock.ts'
import type { PlatformPorts } from '../../ports/platform.ts'
import type { Random } from '../../ports/random.ts'
import type { HeldWakeUps } from '../../ports/wake-ups.ts'
import { sharedContents } from '../shared-contents.ts'
import type { ChangeLogLimit } from './change-log.ts'
import { currentObjects } from './current-objects.ts'
import { openDataDirectory } from './data-directory.ts'
import { compactStep, openDatabase } from './database.ts'
import { diskSpace } from './disk-space.ts'
import { fileArtifactStore } from './file-artifact-store.ts'
import { fileKeys } from './file-keys.ts'
import { groupCommit } from './group-commit.ts'
import { heldWakeUps } from './held-wake-ups.ts'
import { type InProcessQueue, type InProcessQueueOptions, inProcessQueue } from './in-process-queue.ts'
import type { NamespaceBound } from './namespace-usage.ts'
import { processLeases } from './process-leases.ts'
import { sqliteAudit } from './sqlite-audit.ts'
import { type DeliveryBounds, sqliteDeliveries } from './sqlite-deliveries.ts'
import { sqliteObjectStore } from './sqlite-object-store.ts'
import { type RunBounds, sqliteRuns } from './sqlite-runs.ts'
import { type SqliteSchedule, sqliteSchedule } from './sqlite-schedule.ts'
import { sqliteUsage } from './sqlite-usage.ts'
import { storedVisits } from './stored-visits.ts'
import { systemClock } from './system-clock.ts'
import { systemRandom } from './system-random.ts'

/** All ports, over one data directory in one process. */
export interface EmbeddedPlatform extends PlatformPorts {
  readonly schedule: SqliteSchedule
  readonly queue: InProcessQueue
  readonly heldWakeUps: HeldWakeUps
  /** Returns unused space to the disk in small steps; called from time to time. */
  compact(): Promise<void>
  /** Why nothing can be stored now, in one sentence; undefined if it can. */
  unready(): string | undefined
  /**
   * Stops deliveries, ends watches, finishes pending writes and releases the directory. Handlers that do not end are abandoned: their later writes
   * fail.
   */
  close(): Promise<void>
}

export interface EmbeddedOptions {
  readonly clock?: Clock
  readonly random?: Random
  readonly keepChanges?: ChangeLogLimit
  readonly namespaceBound?: NamespaceBound
  readonly runBounds?: RunBounds
  readonly deliveryBounds?: DeliveryBounds
  readonly auditBound?: number
  readonly queue?: Omit<InProcessQueueOptions, 'clock' | 'random'>
  /** Called once, when the disk failed in a way that only a new process can recover from. */
  readonly onFatalError?: (error: Error) => void
  /** Called each time a full disk has space again. */
  readonly onSpaceFreed?: () => void
}

/** The caller of `close` has already ended its handlers or abandoned them. */
const handlersMs = 100

/**
 * Opens a data directory, which it creates if missing, and locks it until `close`. Fails with DataDirectoryError, a one-line message for the
 * operator, if it is not writable, in use by another process, or has a key file that others can read.
 */
export async function embeddedPlatform(path: string, options: EmbeddedOptions = {}): Promise<EmbeddedPlatform> {
  const {
    clock = systemClock,
    random = systemRandom,
    keepChanges,
    namespaceBound,
    onFatalError,
    onSpaceFreed,
  } = options
  const directory = await openDataDirectory(path)
  const database = await openDatabase(directory.database)
  const disk = diskSpace(directory.path, { clock, onSpaceFreed })
  try {
    const keys = await fileKeys(directory.masterKey, { clock, random, create: database.empty })
    const artifacts = sharedContents(await fileArtifactStore(directory.artifacts, { clock, disk }))
    const writer = groupCommit(database, { disk, onFatalError })
    const leases = processLeases(clock, database.epoch)
    const current = currentObjects()
    const objects = sqliteObjectStore({
      ...{ database, writer, clock, current, keepChanges, namespaceBound },
      isCurrent: leases.isCurrent,
    })
    const queue = inProcessQueue({ clock, random, ...options.queue })
    return {
      objects,
      schedule: sqliteSchedule(database, writer, current),
      leases,
      visits: storedVisits(objects),
      artifacts,
      runs: sqliteRuns(database, writer, clock, options.runBounds),
      deliveries: sqliteDeliveries(database, writer, clock, options.deliveryBounds),
      usage: sqliteUsage(database, writer, clock),
      auditRecords: sqliteAudit(database, writer, clock, options.auditBound),
      queue,
      heldWakeUps: heldWakeUps(clock),
      keys,
      clock,
      random,
      compact: async () => {
        while (await writer.write(() => compactStep(database.sql)));
      },
      unready: disk.problem,
      close: async () => {
        disk.close()
        await Promise.race([queue.close(), clock.sleep(handlersMs)])
        objects.close()
        await writer.idle()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
