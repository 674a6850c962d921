import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a runner keeps in its data folder beside its copy. Nobody else can read the files. */
export interface RunnerFolder {
  /** The runner's own key, made at its first start. */
  readonly key: KeyObject
  /** The last lease; undefined if there was none. */
  readonly lease: number | undefined
  keepLease(lease: number): Promise<void>
}

export const runnerFolder = async (directory: string): Promise<RunnerFolder> => {
  const leasePath = join(directory, 'lease')
  const lease = Number(await readIfPresent(leasePath))
  return {
    key: await runnerKey(join(directory, 'runner.key')),
    lease: Number.isSafeInteger(lease) && lease > 0 ? lease : undefined,
    keepLease: async token => {
      await writeFile(`${leasePath}.new`, String(token), { mode: 0o600 })
      await rename(`${leasePath}.new`, leasePath)
    },
  }
}

const runnerKey = async (path: string): Promise<KeyObject> => {
  const kept = await readIfPresent(path)
  if (kept !== undefined) return createPrivateKey(kept)
  const { privateKey } = generateKeyPairSync('ed25519')
  await writeFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
  return privateKey
}

const readIfPresent = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
