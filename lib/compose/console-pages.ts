import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ConsolePages, PageFile } from '../hub/console/pages.ts'

/** Where the bundled console is, in a clone and in a package. */
export const consoleFolder = join(
  import.meta.dirname,
  extname(import.meta.url) === '.ts' ? '../../dist/console' : '../console',
)

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** The files of the bundled console; undefined if it was not bundled. */
export const readConsolePages = (folder: string = consoleFolder): ConsolePages | undefined => {
  const names = namesIn(folder)
  if (!names.includes('index.html')) return undefined
  const file = (name: string): PageFile => {
    const body = new Uint8Array(readFileSync(join(folder, name)))
    const gzip = new Uint8Array(gzipSync(body, { level: 9 }))
    return {
      type: types[extname(name)] ?? 'application/octet-stream',
      body,
      ...(gzip.length < body.length && { gzip }),
    }
  }
  const assets = names.filter(name => name !== 'index.html').map(name => [name, file(name)] as const)
  return { index: file('index.html'), assets: new Map(assets) }
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
