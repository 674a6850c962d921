import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailed } from '../command-failed.ts'
import type { Tokens } from './tokens.ts'

/** The tokens of one login, in a file that only its owner can read. */
export interface TokenCache {
  readonly file: string
  read(): Promise<Tokens | undefined>
  write(tokens: Tokens): Promise<void>
  /** Runs `work` while no other process of this user does the same: a refresh token may be valid only once. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
}

/** The login that tokens are cached for. One with another issuer, client or scope has other tokens. */
export interface CachedLogin {
  readonly issuer: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

/** A process that holds the lock for longer is considered dead. */
const lockMs = 30_000
const retryMs = 50

/**
 * The cache below `XDG_CACHE_HOME`, or `~/.cache`, in `keelson/login`. `env` is the environment of the command. Methods
 * throw CommandFailed if the folder can't be used.
 */
export const tokenCache = (login: CachedLogin, env: NodeJS.ProcessEnv): TokenCache => {
  const folder = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'keelson', 'login')
  const key = JSON.stringify([login.issuer, login.clientId, login.scopes.toSorted()])
  const file = join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)
  const lock = `${file}.lock`

  const tryLock = async (): Promise<boolean> => {
    try {
      await (await open(lock, 'wx', 0o600)).close()
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notUsable(folder, error)
      return false
    }
  }
  const breakStaleLock = async (): Promise<void> => {
    const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Number.NaN }))
    if (Date.now() - mtimeMs > lockMs) await rm(lock, { force: true })
  }

  return {
    file,
    read: async () => {
      try {
        const { idToken, refreshToken } = JSON.parse(await readFile(file, 'utf8')) as Partial<Tokens>
        return typeof idToken === 'string' ? { idToken, refreshToken } : undefined
      } catch {
        // Missing or damaged: the user logs in again.
        return undefined
      }
    },
    write: async tokens => {
      const temporary = `${file}.${randomUUID()}.tmp`
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeFile(temporary, JSON.stringify(tokens), { mode: 0o600 })
        await rename(temporary, file)
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {})
        throw notUsable(folder, error)
      }
    },
    exclusively: async work => {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(error => {
        throw notUsable(folder, error)
      })
      while (!(await tryLock())) {
        await breakStaleLock()
        await sleep(retryMs)
      }
      try {
        return await work()
      } finally {
        await rm(lock, { force: true })
      }
    },
  }
}

const notUsable = (folder: string, cause: unknown): CommandFailed =>
  new CommandFailed(
    `cannot store tokens in ${folder}: ${(cause as Error).message}. Set XDG_CACHE_HOME to a folder that you can write`,
    { cause },
  )
