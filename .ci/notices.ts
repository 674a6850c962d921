/**
 * `node .ci/notices.ts FILE` writes the licences of everything that the package depends on and that Lambda bundles hold, from what
 * is installed. Fails, naming the package, when a licence is not one of those that we may pass on.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Locked {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
}

const allowed = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Unlicense'],
  // openpgp: a library used as it is, which whoever bundles it can replace.
  'LGPL-3.0+',
]

const root = join(import.meta.dirname, '..')
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>
}

/** Developed with only, but part of what is passed on: the bundle of the console. */
const bundled = ['node_modules/preact']

/** A version of a package that several folders hold is told once. */
const notices = new Map<string, string>()
for (const [folder, { version, license, dev }] of Object.entries(packages)) {
  if (folder === '' || (dev && !bundled.includes(folder))) continue
  const name = folder.split('node_modules/').at(-1)!
  const terms = license ?? licenceInManifest(folder)
  if (terms === undefined) continue // Of another platform, or not wanted on this one.
  if (!allowed.includes(terms))
    throw new Error(`${name} ${version} is under ${terms}: .ci/notices.ts does not allow that`)
  notices.set(`${name} ${version}`, `${name} ${version} (${terms})\n\n${licenceText(folder)}`)
}

/** Old manifests name their licences as a list of objects, which npm leaves out of its lock file. */
function licenceInManifest(folder: string): string | undefined {
  const manifest = join(root, folder, 'package.json')
  if (!existsSync(manifest)) return undefined
  const { licenses, license = licenses?.[0]?.type } = JSON.parse(readFileSync(manifest, 'utf8'))
  return license ?? 'no licence'
}

function licenceText(folder: string): string {
  const path = join(root, folder)
  const file = existsSync(path) && readdirSync(path).find(name => /^(licen[cs]e|copying)/i.test(name))
  return file ? readFileSync(join(path, file), 'utf8').trim() : 'The package brings no text of its licence.'
}

const [, , target] = process.argv
if (!target) throw new Error('usage: node .ci/notices.ts FILE')
mkdirSync(dirname(target), { recursive: true })
const title = 'What Keelson is built with, and under which terms'
writeFileSync(
  target,
  [title, ...[...notices.keys()].sort().map(key => notices.get(key))].join(`\n\n${'-'.repeat(80)}\n\n`),
)
