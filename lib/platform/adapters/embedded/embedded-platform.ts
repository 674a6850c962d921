import type { ArtifactStore } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Keys } from '../../ports/keys.ts'
import type { Leases } from '../../ports/leases.ts'
import type { ObjectStore } from '../../ports/objects.ts'
import type { Random } from '../../ports/random.ts'
import type { Visits } from '../../ports/visits.ts'
import type { ChangeLogLimit } from './change-log.ts'
import { currentObjects } from './current-objects.ts'
import { openDataDirectory } from './data-directory.ts'
import { compactStep, openDatabase } from './database.ts'
import { diskSpace } from './disk-space.ts'
import { fileArtifactStore } from './file-artifact-store.ts'
import { fileKeys } from './file-keys.ts'
import { groupCommit } from './group-commit.ts'
import { type InProcessQueue, type InProcessQueueOptions, inProcessQueue } from './in-process-queue.ts'
import type { NamespaceBound } from './namespace-usage.ts'
import { processLeases } from './process-leases.ts'
import { sqliteObjectStore } from './sqlite-object-store.ts'
import { type SqliteSchedule, sqliteSchedule } from './sqlite-schedule.ts'
import { storedVisits } from './stored-visits.ts'
import { systemClock } from './system-clock.ts'
import { systemRandom } from './system-random.ts'

/** All ports, over one data directory and in one process. */
export interface EmbeddedPlatform {
  readonly objects: ObjectStore
  readonly schedule: SqliteSchedule
  readonly leases: Leases
  readonly visits: Visits
  readonly artifacts: ArtifactStore
  readonly queue: InProcessQueue
  readonly keys: Keys
  readonly clock: Clock
  readonly random: Random
  /** Gives space that is not needed any more back to the disk, in small steps; to be called now and then. */
  compact(): Promise<void>
  /** Why nothing can be stored for now, in one sentence; undefined while it can. */
  unready(): string | undefined
  /**
   * Stops deliveries, ends watches, finishes pending writes and lets go of the directory. Handlers that don't end are given up: what
   * they write from then on fails.
   */
  close(): Promise<void>
}

export interface EmbeddedOptions {
  readonly clock?: Clock
  readonly random?: Random
  readonly keepChanges?: ChangeLogLimit
  readonly namespaceBound?: NamespaceBound
  readonly queue?: Omit<InProcessQueueOptions, 'clock' | 'random'>
  /** Called once, when the disk failed in a way that only a new process can recover from. */
  readonly onBroken?: (error: Error) => void
  /** Called each time when a full disk has space again. */
  readonly onSpaceAgain?: () => void
}

/** Whoever closes the platform has ended its consumers, or has given them up. */
const handlersMs = 100

/**
 * Opens a data directory, made when missing, and holds it until `close`. Fails with DataDirectoryError, in one line for the
 * user, when it can't be used: unwritable, in use by another process, or with a key file that others can read.
 */
export async function embeddedPlatform(path: string, options: EmbeddedOptions = {}): Promise<EmbeddedPlatform> {
  const { clock = systemClock, random = systemRandom, keepChanges, namespaceBound, onBroken, onSpaceAgain } = options
  const directory = await openDataDirectory(path)
  const database = await openDatabase(directory.database)
  const disk = diskSpace(directory.path, { clock, onSpaceAgain })
  try {
    const keys = await fileKeys(directory.masterKey, { clock, random, create: database.empty })
    const artifacts = await fileArtifactStore(directory.artifacts, { clock, disk })
    const writer = groupCommit(database, { disk, onBroken })
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
      queue,
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
