import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDir } from '../go-tool.ts'

const run = promisify(execFile)

const version = '1.5.33'

/** The AWS emulator can't be had on this machine; the message says what is missing, and how to get it. */
export class NoEmulator extends Error {}

/**
 * The python of a virtual environment that holds the emulator, kept in the cache outside the clone. Made when missing: 10 s
 * and 90 MB. Fails with NoEmulator when the machine has no python3 or can't install packages.
 */
export async function ministack(): Promise<string> {
  const dir = join(cacheDir(), `ministack-${version}`)
  const python = join(dir, 'bin', 'python')
  if (existsSync(dir)) return python
  const partial = `${dir}.${process.pid}`
  mkdirSync(cacheDir(), { recursive: true })
  try {
    process.stderr.write(`ministack ${version} (AWS emulator): installing it from PyPI, once; some 10 s\n`)
    await run('python3', ['-m', 'venv', partial])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `ministack==${version}`]
    await run(join(partial, 'bin', 'python'), pip, { timeout: 5 * 60_000 })
    takePlace(partial, dir)
    return python
  } catch (error) {
    throw new NoEmulator(reason(error as NodeJS.ErrnoException & { stderr?: string }), { cause: error })
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

/** Who was first wins: the same version either way. Nothing we run in it depends on the path it was made at. */
function takePlace(partial: string, dir: string): void {
  try {
    renameSync(partial, dir)
  } catch (error) {
    if (!existsSync(dir)) throw error
  }
}

function reason(error: NodeJS.ErrnoException & { stderr?: string }): string {
  if (error.code === 'ENOENT')
    return `the AWS emulator (ministack ${version}) is a Python program, and there is no \`python3\` on the PATH: install Python 3.10 or newer with venv and pip`
  const said = (error.stderr ?? error.message).trim().split('\n').slice(-5).join('\n')
  return `the AWS emulator (ministack ${version}) could not be installed with \`python3 -m venv\` and pip:\n${said}`
}
