/**
 * npm run docs -- site [--out FOLDER] [--base PATH] [--version TEXT]
 *
 * Builds the documentation as a static site: dist/site below /, for the version of package.json, unless the flags name others. Any
 * server of files can serve it. The generator is installed in the cache at the first call.
 */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSite } from './site/build-site.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist/site') },
    base: { type: 'string', default: '/' },
    version: { type: 'string', default: `v${version}` },
  },
})
const cache = process.env.KEELSON_CACHE ?? join(homedir(), '.cache', 'keelson')
buildSite({ root, out: resolve(values.out), base: values.base, version: values.version, cache })
console.log(resolve(values.out))
