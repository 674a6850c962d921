import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, opendir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { BlobStore, ByteChunks, StoredArtifact } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import { segmentsOf } from '../artifact-name.ts'
import { syncDirectory } from './database.ts'
import { type DiskSpace, isOutOfSpace } from './disk-space.ts'

/** Directory of unfinished files; no artifact can have this name. */
const unfinished = '.unfinished'

/**
 * Blobs as files below a directory. A blob appears atomically: it is written to another place, synced, then renamed. Incomplete files of a killed
 * process are deleted at the next start.
 */
export async function fileArtifactStore(
  directory: string,
  { clock, disk }: { readonly clock: Pick<Clock, 'now'>; readonly disk: DiskSpace },
): Promise<BlobStore> {
  const aside = join(directory, unfinished)
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true, mode: 0o700 })

  const pathOf = (name: string) => join(directory, ...segmentsOf(name))
  const touch = (path: string) => {
    const seconds = clock.now() / 1000
    return utimes(path, seconds, seconds)
  }

  const write = async (path: string, content: Uint8Array | ByteChunks): Promise<void> => {
    await mkdir(aside, { recursive: true, mode: 0o700 }) // the directory may have been emptied while we use it
    const draft = join(aside, randomUUID())
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile('pieces' in content ? content.pieces() : content)
        await file.datasync()
      } finally {
        await file.close()
      }
      await touch(draft)
      const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await rename(draft, path)
      await syncDirectory(dirname(path))
      if (made) await syncDirectory(dirname(made))
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  return {
    put: async (name, content) => {
      const path = pathOf(name)
      if (await unlessMissing(touch(path).then(() => true))) return
      try {
        await write(path, content)
      } catch (error) {
        throw isOutOfSpace(error) ? disk.exhausted() : error
      }
    },
    get: name => unlessMissing(readFile(pathOf(name))),
    has: async name => (await unlessMissing(stat(pathOf(name)))) !== undefined,
    check: (name, digest) => checkFile(pathOf(name), digest),
    delete: name => rm(pathOf(name), { force: true }),
    list: prefix => filesBelow(directory, prefix),
  }
}

async function checkFile(path: string, digest: string): Promise<'sound' | 'damaged' | 'missing'> {
  const [algorithm = '', expected] = digest.split(':')
  const hash = createHash(algorithm)
  const isThere = await unlessMissing(
    (async () => {
      for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array)
      return true
    })(),
  )
  if (!isThere) return 'missing'
  return hash.digest('hex') === expected ? 'sound' : 'damaged'
}

async function* filesBelow(directory: string, prefix: string): AsyncGenerator<StoredArtifact, void, undefined> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  const start = folder ? join(directory, ...segmentsOf(folder.slice(0, -1))) : directory
  const entries = await unlessMissing(opendir(start, { recursive: true }))
  if (!entries) return
  for await (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(directory, path).split(sep).join('/')
    if (!entry.isFile() || !name.startsWith(prefix) || name.startsWith(`${unfinished}/`)) continue
    const file = await unlessMissing(stat(path))
    if (file) yield { name, size: file.size, storedAt: Math.round(file.mtimeMs) }
  }
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
