import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** Where an embedded hub stores its durable data. Only the hub's user can read its contents. */
export interface DataDirectory {
  readonly path: string
  readonly database: string
  readonly artifacts: string
  readonly masterKey: string
}

/** Creates the directory (0700) if missing. Fails with DataDirectoryError if it can't be created or written. */
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
 * Creates parents first, then the directory itself: Node never returns from a recursive mkdir below /proc, where creating a directory fails with
 * ENOENT. Fails with ENOTDIR if either is a file.
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

/** The data directory can't be used. The one-line message says why, for the operator. */
export class DataDirectoryError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DataDirectoryError'
  }
}
