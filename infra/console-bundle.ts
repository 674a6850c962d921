import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { consoleFolder } from '../lib/compose/console-pages.ts'
import { undescribed } from './undescribed.ts'

const root = join(import.meta.dirname, '..')
const sources = join(root, 'lib/console')

/**
 * Bundles the console: a document, and a script, a style and an icon whose names have a hash of their content; what few pages need is a script
 * of its own. Writes nothing if the same is there. Returns the folder.
 */
export const bundleConsole = async (directory: string = consoleFolder): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: { console: join(sources, 'main.tsx'), style: join(sources, 'style/console.css') },
    absWorkingDir: root,
    outdir: directory,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox124', 'safari17.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'linked',
    plugins: [undescribed],
    logLevel: 'error',
    write: false,
  })
  const icon = readFileSync(join(sources, 'style/icon.svg'))
  const files = [
    ...outputFiles.map(({ path, contents }) => ({ name: path.slice(directory.length + 1), contents })),
    { name: `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`, contents: icon },
  ]
  const named = (form: RegExp): string => `/console/assets/${files.find(({ name }) => form.test(name))!.name}`
  const index = readFileSync(join(sources, 'index.html'), 'utf8')
    .replace('{script}', named(/^console-.*\.js$/))
    .replace('{style}', named(/\.css$/))
    .replace('{icon}', named(/\.svg$/))
  if (contentOf(join(directory, 'index.html')) === index) return directory
  const fresh = `${directory}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  writeFileSync(join(fresh, 'index.html'), index)
  for (const { name, contents } of files) writeFileSync(join(fresh, name), contents)
  rmSync(directory, { recursive: true, force: true })
  renameSync(fresh, directory)
  return directory
}

const contentOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

if (import.meta.main) await bundleConsole()
