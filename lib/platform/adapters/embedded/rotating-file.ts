import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'

export interface Rotation {
  /** The file is rotated before it would exceed this size. */
  readonly maxBytes: number
  /** How many rotated files are kept; 0 keeps all. */
  readonly maxBackups: number
  /** How long they are kept, in milliseconds; 0 keeps them forever. */
  readonly maxAgeMs: number
}

export interface RotatingFile {
  /** Appends a line; the system has accepted it when this returns. Fails with the system's error. */
  append(line: string): void
  close(): void
}

/**
 * A file of lines that only its owner can read. A full file is renamed with a timestamp, in the format of
 * kube-apiserver's logs: `audit-2026-11-27T12-00-00.000.log`. Fails with the system's error if it can't be opened.
 */
export const rotatingFile = (
  path: string,
  { maxBytes, maxBackups, maxAgeMs }: Rotation,
  clock: { now(): number },
): RotatingFile => {
  const folder = dirname(path)
  const suffix = extname(path)
  const prefix = `${basename(path, suffix)}-`
  let file: number | undefined
  let size = 0

  const openFile = (): number => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const opened = openSync(path, 'a', 0o600)
    size = fstatSync(opened).size
    return opened
  }
  const isBackup = (name: string): boolean => name.startsWith(prefix) && timeOf(name) !== undefined
  const timeOf = (name: string): number | undefined => {
    const stamp = name.slice(prefix.length, suffix ? -suffix.length : undefined)
    const [, day, hour, minute, rest] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp) ?? []
    if (!day || !name.endsWith(suffix)) return undefined
    return Date.parse(`${day}T${hour}:${minute}:${rest}Z`)
  }
  const deleteOldBackups = (): void => {
    const backups = readdirSync(folder).filter(isBackup).sort().reverse()
    const isTooOld = (name: string) => maxAgeMs > 0 && clock.now() - timeOf(name)! > maxAgeMs
    for (const [index, name] of backups.entries())
      if ((maxBackups > 0 && index >= maxBackups) || isTooOld(name)) rmSync(join(folder, name), { force: true })
  }
  const rotate = (): void => {
    if (file !== undefined) closeSync(file)
    file = undefined
    const stamp = new Date(clock.now()).toISOString().replaceAll(':', '-').replace('Z', '')
    renameSync(path, join(folder, `${prefix}${stamp}${suffix}`))
    deleteOldBackups()
  }

  file = openFile()
  return {
    append: line => {
      const bytes = Buffer.from(`${line}\n`)
      file ??= openFile()
      if (size > 0 && size + bytes.length > maxBytes) {
        rotate()
        file = openFile()
      }
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      size += bytes.length
    },
    close: () => {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
