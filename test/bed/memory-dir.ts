import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs'

const shared = '/dev/shm'
const wantedBytes = 8 * 2 ** 30

/**
 * A directory in memory, where writes don't wait for a disk. Undefined if there is none, or only a small one
 * (a container's has 64 MB, unless it was asked for more), or one without programs, which tests write and run.
 */
export const memoryDir = (): string | undefined => {
  if (!existsSync(shared) || !isWritable(shared)) return undefined
  const { bavail, bsize } = statfsSync(shared)
  return bavail * bsize >= wantedBytes && mayHoldPrograms(shared) ? shared : undefined
}

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** A line of /proc/mounts: what is mounted, where, its type, options. */
const mayHoldPrograms = (path: string): boolean =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' '))
    .some(([, where, , options = '']) => where === path && !options.split(',').includes('noexec'))
