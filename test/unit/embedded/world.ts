import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DiskSpace, diskSpace } from '../../../lib/platform/adapters/embedded/disk-space.ts'
import { systemClock } from '../../../lib/platform/adapters/embedded/system-clock.ts'

/** Runs a story in a directory of its own. */
export async function inDirectory(story: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'keelson-embedded-'))
  try {
    await story(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

/** The disk below a directory. */
export const diskOf = (path: string): DiskSpace => diskSpace(path, { clock: systemClock })

/** Lets everything that is ready to run do so. */
export const settled = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
}
