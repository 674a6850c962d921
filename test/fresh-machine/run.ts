/**
 * `npm run fresh-machine`: runs the README's `npm test`, for the suites or files that are named or else for all, in an empty
 * root of Debian that holds Node, npm, git and Python and nothing else. The commit at HEAD is cloned into it. Where the tests
 * list what the machine lacks, the command that they name is run there, once, and then they have to run.
 * `--again` makes the root anew: what a run installed or built there stays otherwise. Exits as the tests did, with 2 where
 * no root can be made.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { command } from '../bed/command.ts'
import { cacheDir } from '../bed/go-tool.ts'
import { debianRoot, whyNoRoot } from './debian-root.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { again: { type: 'boolean' } } })
const reason = await whyNoRoot()
if (reason !== undefined) {
  console.error(reason)
  process.exit(2)
}

const path = join(cacheDir(), 'fresh-machine')
if (values.again) rmSync(path, { recursive: true, force: true })
const root = await debianRoot(path)

const clone = join(path, 'root/keelson')
rmSync(clone, { recursive: true, force: true })
await command('git', ['clone', '--quiet', join(import.meta.dirname, '../..'), clone])

const test = `cd /root/keelson && npm test${positionals.length > 0 ? ` -- ${positionals.join(' ')}` : ''}`
let ending = await root.run(test)
const install = /^On Debian or Ubuntu: (apt-get .*)$/m.exec(ending.output)?.[1]
if (ending.exitCode === 2 && install) {
  ending = await root.run(`apt-get update -q && ${install}`)
  if (ending.exitCode === 0) ending = await root.run(test)
}
process.exitCode = ending.exitCode ?? 1
