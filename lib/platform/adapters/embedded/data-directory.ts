import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** Where an embedded hub keeps what it must not lose. Everything below is private to the user who runs it. */
export interface DataDirectory {
  readonly path: string
  readonly database: string
  readonly artifacts: string
  readonly masterKey: string
}

/** Makes the directory (0700) when it is missing. Fails with DataDirectoryError when it can't be made or written to. */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const root = resolve(path)
  try {
    await makeDirectory(root)
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new DataDirectoryError(`cannot use ${root} as data directory: ${(cause as Error).message}`, { cause })
  }
  return {
    path: root,
    database: join(root, 'hub.db'),
    artifacts: join(root, 'artifacts'),
    masterKey: join(root, 'master.key'),
  }
}

/**
 * Parents first, then the directory by itself: Node never returns from a recursive mkdir below /proc, where making a
 * directory fails with ENOENT. A file in the place of either is told as what it is.
 */
const makeDirectory = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true }).catch(requireDirectory(dirname(path)))
  await mkdir(path, { mode: 0o700 }).catch(requireDirectory(path))
}

const requireDirectory =
  (path: string) =>
  async (error: NodeJS.ErrnoException): Promise<void> => {
    if (error.code !== 'EEXIST') throw error
    if (!(await stat(path)).isDirectory()) throw new Error(`ENOTDIR: ${path} is not a directory`, { cause: error })
  }

/** The data directory can't be used as it is; the message says why, in one line, to the person who runs the hub. */
export class DataDirectoryError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DataDirectoryError'
  }
}
