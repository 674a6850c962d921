import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { cacheDir } from './go-tool.ts'

const run = promisify(execFile)

export interface ChromiumProgram {
  readonly path: string
  /** What it needs in its environment. */
  readonly env: Readonly<Record<string, string>>
}

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'Google Chrome']

/** The installed Chromium or Chrome, or that of `KEELSON_CHROMIUM`. */
const installedChromium = (): string | undefined => {
  const { KEELSON_CHROMIUM: own, PATH = '' } = process.env
  if (own) return own === 'fetched' ? undefined : own
  const folders = [...PATH.split(delimiter).filter(Boolean), '/Applications/Google Chrome.app/Contents/MacOS']
  return folders.flatMap(folder => names.map(name => join(folder, name))).find(path => existsSync(path))
}

/**
 * A package of the npm registry with a headless Chromium for Linux on x64, and the libraries that it needs beside libc: so that the machine
 * needs no package of its own.
 */
const fetched = { name: '@sparticuz/chromium', version: '153.0.0' }
/** Another one where the folder is to be made anew. */
const layout = 2

const canBeFetched = process.platform === 'linux' && process.arch === 'x64'

/** Whether there is a Chromium, or one can be fetched. */
export const isChromiumToBeHad = (): boolean => installedChromium() !== undefined || canBeFetched

/** The machine's own Chromium, else one that is fetched once, into the cache. `KEELSON_CHROMIUM=fetched` takes that in any case. */
export const chromiumProgram = async (): Promise<ChromiumProgram> => {
  const path = installedChromium()
  if (path) return { path, env: {} }
  const folder = join(cacheDir(), `chromium-${fetched.version}-${layout}`)
  if (!existsSync(folder)) await fetchChromium(folder)
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'libraries/lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
  }
}

const fetchChromium = async (folder: string): Promise<void> => {
  if (!canBeFetched)
    throw new Error('install Chromium or Chrome, or name one in KEELSON_CHROMIUM: for this machine none can be fetched')
  const work = `${folder}.${process.pid}`
  mkdirSync(work, { recursive: true })
  try {
    const { name, version } = fetched
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', work, `${name}@${version}`])
    const packed = join(work, 'node_modules', name, 'bin')
    const unpacked = (file: string): Buffer => brotliDecompressSync(readFileSync(join(packed, file)))
    writeFileSync(join(work, 'chromium'), unpacked('chromium.br'))
    chmodSync(join(work, 'chromium'), 0o755)
    for (const [archive, to] of [['al2023.tar.br', 'libraries'] as const, ['fonts.tar.br', 'fonts'] as const]) {
      const tar = join(work, `${to}.tar`)
      writeFileSync(tar, unpacked(archive))
      mkdirSync(join(work, to))
      await run('tar', ['-xf', tar, '-C', join(work, to)])
      rmSync(tar)
    }
    writeFileSync(join(work, 'fonts/fonts.conf'), fontsIn(folder))
    rmSync(join(work, 'node_modules'), { recursive: true })
    renameSync(work, folder)
  } catch (error) {
    rmSync(work, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

/** The package's own configuration names folders of Lambda: a machine without fonts would draw no text at all. */
const fontsIn = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`
