import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedPlatform } from '../../lib/platform/adapters/embedded/embedded-platform.ts'
import { systemClock } from '../../lib/platform/adapters/embedded/system-clock.ts'
import { systemRandom } from '../../lib/platform/adapters/embedded/system-random.ts'
import { type ArtifactWorld, describeArtifactStore } from './artifacts.ts'
import { describeAudit } from './audit.ts'
import { describeClock } from './clock.ts'
import { describeDeliveries } from './deliveries.ts'
import { describeKeys, type KeysWorld } from './keys.ts'
import { describeLeases } from './leases.ts'
import { manualClock } from './manual-clock.ts'
import { describeObjectStore } from './objects.ts'
import { describeQueue, type QueueWorld } from './queue.ts'
import { describeRandom } from './random.ts'
import { describeRuns } from './runs.ts'
import { describeSchedule } from './schedule.ts'
import { describeSlots } from './slots.ts'
import { forgetChanges, type StoreWorld } from './store-world.ts'
import { describeUsage } from './usage.ts'
import { describeVisits } from './visits.ts'

const newDirectory = () => mkdtemp(join(tmpdir(), 'keelson-contract-'))
const discard = (directory: string) => rm(directory, { recursive: true, force: true })

async function storeWorld(directory?: string, clock = manualClock()): Promise<StoreWorld> {
  const path = directory ?? (await newDirectory())
  const platform = await embeddedPlatform(path, { clock })
  const { objects, schedule, leases, visits, runs, deliveries, usage, auditRecords } = platform
  let reopened: StoreWorld | undefined
  return {
    ...{ objects, schedule, leases, visits, runs, deliveries, usage, auditRecords, clock },
    rounds: all => all,
    reopen: async () => {
      await platform.close()
      reopened = await storeWorld(path, clock)
      return reopened
    },
    forgetChanges: () => forgetChanges({ objects, clock }),
    close: async () => {
      if (reopened) return reopened.close()
      await platform.close()
      await discard(path)
    },
  }
}

async function artifactWorld(directory?: string): Promise<ArtifactWorld> {
  const path = directory ?? (await newDirectory())
  const platform = await embeddedPlatform(path)
  const { artifacts } = platform
  let reopened: ArtifactWorld | undefined
  return {
    artifacts,
    reopen: async () => {
      await platform.close()
      reopened = await artifactWorld(path)
      return reopened
    },
    age: async ms => {
      for await (const { name, storedAt } of artifacts.list('')) {
        const seconds = (storedAt - ms) / 1000
        await utimes(join(path, 'artifacts', name), seconds, seconds)
      }
    },
    close: async () => {
      if (reopened) return reopened.close()
      await platform.close()
      await discard(path)
    },
  }
}

async function keysWorld(directory?: string): Promise<KeysWorld> {
  const path = directory ?? (await newDirectory())
  const platform = await embeddedPlatform(path)
  const others: (() => Promise<void>)[] = []
  let reopened: KeysWorld | undefined
  return {
    keys: platform.keys,
    reopen: async () => {
      await platform.close()
      reopened = await keysWorld(path)
      return reopened
    },
    stranger: async () => {
      const stranger = await keysWorld()
      others.push(stranger.close)
      return stranger.keys
    },
    close: async () => {
      for (const close of others) await close()
      if (reopened) return reopened.close()
      await platform.close()
      await discard(path)
    },
  }
}

async function queueWorld(): Promise<QueueWorld> {
  const path = await newDirectory()
  const platform = await embeddedPlatform(path, { queue: { firstRetryMs: 5, maxDeliveries: 3 } })
  return {
    queue: platform.queue,
    deadLetters: async () => platform.queue.deadLetters().map(({ message }) => message),
    close: async () => {
      await platform.close()
      await discard(path)
    },
  }
}

describeObjectStore('embedded', storeWorld)
describeSchedule('embedded', storeWorld)
describeLeases('embedded', storeWorld)
describeSlots('embedded', storeWorld)
describeVisits('embedded', storeWorld)
describeRuns('embedded', storeWorld)
describeDeliveries('embedded', storeWorld)
describeUsage('embedded', storeWorld)
describeAudit('embedded', storeWorld)
describeArtifactStore('embedded', artifactWorld)
describeKeys('embedded', keysWorld)
describeQueue('embedded', queueWorld, { patienceMs: 5000, delayMs: 50, fair: true })
describeClock('system', systemClock)
describeRandom('system', systemRandom)
