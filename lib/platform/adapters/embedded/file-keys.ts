import { createCipheriv, createDecipheriv } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Keys } from '../../ports/keys.ts'
import type { Random } from '../../ports/random.ts'
import { type DataKeySource, type EnvelopeLimits, envelopeKeys } from '../envelope-keys.ts'
import { DataDirectoryError } from './data-directory.ts'
import { syncDirectory } from './database.ts'

export interface FileKeysOptions {
  readonly clock: Clock
  readonly random: Random
  /** Whether to create a missing key file: only if no data can have been sealed with a lost key. */
  readonly create: boolean
  readonly limits?: EnvelopeLimits
}

const defaultLimits: EnvelopeLimits = { uses: 10_000, ageMs: 3_600_000, remembered: 1000 }

/**
 * Seals with a master key in a file that only its owner may read. The file holds one key per line, in base64: the first one seals, all of them
 * open. To rotate the key, add a line at the top.
 */
export async function fileKeys(path: string, options: FileKeysOptions): Promise<Keys> {
  const { clock, random, create, limits = defaultLimits } = options
  const masters = (await readMasterKeys(path)) ?? (create ? await createMasterKey(path, random) : undefined)
  if (!masters)
    throw new DataDirectoryError(
      `${path} is missing: without it the stored Secrets can't be read; put it back from a backup`,
    )
  return envelopeKeys(masterKeySource(masters, random), { clock, random, limits })
}

async function readMasterKeys(path: string): Promise<Buffer[] | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new DataDirectoryError(`cannot read the key file ${path}: ${error.message}`, { cause: error })
  })
  if (!file) return undefined
  try {
    const { mode } = await file.stat()
    if (mode & 0o077)
      throw new DataDirectoryError(
        `the key file ${path} has mode ${(mode & 0o777).toString(8)}, so others can read it: chmod 600 it, and consider its key known`,
      )
    const keys = (await file.readFile('utf8')).split('\n').filter(line => line !== '')
    const masters = keys.map(line => Buffer.from(line, 'base64'))
    if (masters.length === 0 || masters.some(key => key.length !== 32))
      throw new DataDirectoryError(
        `the key file ${path} is damaged: each of its lines must be a key of 32 bytes in base64`,
      )
    return masters
  } finally {
    await file.close()
  }
}

async function createMasterKey(path: string, random: Random): Promise<Buffer[]> {
  const key = Buffer.from(random.bytes(32))
  const draft = `${path}.new`
  await rm(draft, { force: true })
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${key.toString('base64')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  // Unlike a rename, a link never replaces an existing key.
  await link(draft, path)
  await rm(draft)
  await syncDirectory(dirname(path))
  return [key]
}

/** Wraps data keys as `id of the master key 8 bytes | iv 12 | encrypted key 32 | tag 16`. */
function masterKeySource(masters: readonly Buffer[], random: Random): DataKeySource {
  const byId = new Map(masters.map(key => [idOf(key), key]))
  const current = masters[0]!

  return {
    isScoped: false,
    generate: async () => {
      const plain = random.bytes(32)
      const iv = random.bytes(12)
      const cipher = createCipheriv('aes-256-gcm', current, iv)
      const id = Buffer.from(idOf(current), 'hex')
      return { plain, wrapped: Buffer.concat([id, iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]) }
    },
    unwrap: async wrapped => {
      const bytes = Buffer.from(wrapped)
      const master = byId.get(bytes.subarray(0, 8).toString('hex'))
      if (!master || bytes.length !== 8 + 12 + 32 + 16)
        throw new Error('its data key was wrapped by an unknown master key')
      const decipher = createDecipheriv('aes-256-gcm', master, bytes.subarray(8, 20), { authTagLength: 16 })
      decipher.setAuthTag(bytes.subarray(-16))
      return Buffer.concat([decipher.update(bytes.subarray(20, -16)), decipher.final()])
    },
  }
}

const idOf = (key: Uint8Array): string => sha256Hex(key).slice(0, 16)
