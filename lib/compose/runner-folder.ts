import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunnerKeys } from '../hub/runners/hub-link.ts'
import type { LastSigned } from '../reconcile/approvals/signatures.ts'

/** What a runner keeps in its data folder beside its copy. Nobody else can read the files. */
export interface RunnerFolder {
  /** The runner's own key, made at its first start. */
  readonly keys: RunnerKeys & { readonly madeAt: number }
  /** The last lease; undefined if there was none. */
  readonly lease: number | undefined
  keepLease(lease: number): Promise<void>
  /** With which digests of what is decrypted are made, see OwnKeys. Made at the first start. */
  readonly digestKey: string
  /** By what its author calls a source: when its newest revision was signed, in milliseconds since the epoch. */
  signedAt(source: string): number | undefined
  keepSignedAt(source: string, at: number): Promise<void>
  /** By unit: the plan that was approved last, see SignatureDemand. */
  lastSigned(unit: string): LastSigned | undefined
  keepLastSigned(unit: string, last: LastSigned): Promise<void>
}

/**
 * Reads the folder, and makes the key at the first start. Files are replaced as a whole, so a crash leaves the old or
 * the new one.
 */
export const runnerFolder = async (directory: string): Promise<RunnerFolder> => {
  const leasePath = join(directory, 'lease')
  const lease = Number(await readIfPresent(leasePath))
  const signed = await recordIn<number>(join(directory, 'signed.json'))
  const approved = await recordIn<LastSigned>(join(directory, 'approved.json'))
  return {
    keys: await runnerKeys(directory),
    digestKey: await digestKeyIn(join(directory, 'digest.key')),
    lease: Number.isSafeInteger(lease) && lease > 0 ? lease : undefined,
    keepLease: token => replace(leasePath, String(token)),
    signedAt: signed.get,
    keepSignedAt: signed.keep,
    lastSigned: approved.get,
    keepLastSigned: approved.keep,
  }
}

/** Values by name, in a file that is written with each change. */
const recordIn = async <T>(path: string) => {
  const values = new Map(Object.entries(JSON.parse((await readIfPresent(path)) ?? '{}') as Record<string, T>))
  let written: Promise<void> = Promise.resolve()
  return {
    get: (name: string): T | undefined => values.get(name),
    keep: (name: string, value: T): Promise<void> => {
      values.set(name, value)
      const content = JSON.stringify(Object.fromEntries(values))
      written = written.catch(() => {}).then(() => replace(path, content))
      return written
    },
  }
}

const digestKeyIn = async (path: string): Promise<string> => {
  const kept = await readIfPresent(path)
  if (kept) return kept
  const key = randomBytes(32).toString('hex')
  await replace(path, key)
  return key
}

/** As a whole or not at all. */
const replace = async (path: string, content: string): Promise<void> => {
  await writeFile(`${path}.new`, content, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

const runnerKeys = async (directory: string): Promise<RunnerFolder['keys']> => {
  const [path, nextPath] = [join(directory, 'runner.key'), join(directory, 'runner.key.next')]
  let current = (await keyIn(path)) ?? (await newKey(path))
  let next = await keyIn(nextPath)
  let madeAt = (await stat(path)).mtimeMs
  return {
    get current() {
      return current
    },
    get next() {
      return next
    },
    get madeAt() {
      return madeAt
    },
    makeNext: async () => {
      next ??= await newKey(nextPath)
      return next
    },
    promote: async () => {
      if (!next) return
      await rename(nextPath, path)
      ;[current, next, madeAt] = [next, undefined, (await stat(path)).mtimeMs]
    },
  }
}

const keyIn = async (path: string): Promise<KeyObject | undefined> => {
  const kept = await readIfPresent(path)
  return kept === undefined ? undefined : createPrivateKey(kept)
}

const newKey = async (path: string): Promise<KeyObject> => {
  const { privateKey } = generateKeyPairSync('ed25519')
  await writeFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
  return privateKey
}

const readIfPresent = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
