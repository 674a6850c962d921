import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir, sourceHash } from '../bed/go-tool.ts'

/** What the system tells one process that is not so. Changes hold at once. */
export interface Faults {
  /** How far the clock was set, in seconds; negative = back. */
  readonly clockSeconds: number
  /** Nothing reaches the disk: fsync and fdatasync fail. */
  readonly syncFails: boolean
  /** No file takes another byte. */
  readonly diskFull: boolean
}

export interface FaultShim {
  /** Of a process that is to be lied to. */
  readonly env: Readonly<Record<string, string>>
  /** Replaces the faults by these. */
  set(faults: Partial<Faults>): void
}

/** Why there is no shim here, for a test that is skipped; undefined where there is. */
export const noShim: string | undefined =
  process.platform === 'linux' && isInstalled('cc') ? undefined : 'needs Linux and a C compiler (cc)'

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A shim that is told what to do by a file in the directory. Compiled once, and cached. */
export const faultShim = (directory: string): FaultShim => {
  const file = join(directory, 'faults')
  const page = Buffer.alloc(16)
  const store = () => {
    const at = openSync(file, 'a+', 0o600)
    closeSync(at)
    const opened = openSync(file, 'r+')
    writeSync(opened, page, 0, page.length, 0)
    closeSync(opened)
  }
  store()
  return {
    env: { LD_PRELOAD: compiled(), KEELSON_FAULTS: file },
    set: ({ clockSeconds = 0, syncFails = false, diskFull = false }) => {
      page.writeBigInt64LE(BigInt(clockSeconds), 0)
      page.writeInt32LE(Number(syncFails), 8)
      page.writeInt32LE(Number(diskFull), 12)
      store()
    },
  }
}

const compiled = (): string => {
  const source = join(import.meta.dirname, 'shim')
  const folder = join(cacheDir(), 'fault-shim', sourceHash(source))
  const library = join(folder, 'shim.so')
  if (existsSync(library)) return library
  mkdirSync(folder, { recursive: true })
  const partial = `${library}.${process.pid}`
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-o', partial, join(source, 'shim.c'), '-ldl'])
  renameSync(partial, library) // whoever sees the name sees a whole library
  return library
}
