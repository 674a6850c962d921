import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs a story in a directory of its own. */
export async function inDirectory(story: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'keelson-embedded-'))
  try {
    await story(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

/** Lets everything that is ready to run do so. */
export const settled = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
}
