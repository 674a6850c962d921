/**
 * npm run mutate -- TARGET...
 *
 * Mutation testing of pure rooms: the code of a room (`engines/semver`), a folder (`engines/kustomize/replacements`) or a file (`engines/semver/version.ts`) is changed
 * in hundreds of small ways, and the unit tests of the room must notice every change, or explained/ROOM.ts says why no test can. Fails
 * on other changes that go unnoticed, and on explanations that explain nothing. Scores go to scores.json; `npm run docs` makes a table
 * of them. A minute for a small room, a quarter of an hour for a large one.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { explanationsOf } from './explanations.ts'
import { judge } from './judge.ts'
import { keepScores } from './scores.ts'
import { mutantsIn } from './stryker.ts'

const targets = process.argv.slice(2)
const unknown = targets.filter(target => !existsSync(join(import.meta.dirname, '../../lib', target)))
if (targets.length === 0 || unknown.length > 0) {
  for (const target of unknown) console.error(`no lib/${target}`)
  console.error('npm run mutate -- TARGET..., a target being a room of lib, or a folder or a file of one')
  process.exit(2)
}
for (const [room, ofRoom] of Map.groupBy(targets, target => target.split('/', 2).join('/'))) {
  const { open, obsolete, scores } = judge(mutantsIn(room, ofRoom), await explanationsOf(room))
  for (const { file, lineNumber, line, change } of open)
    console.log(
      `\nlib/${file}:${lineNumber} no test notices, and no explanation is given for\n  line: ${line}\n  change: ${change}`,
    )
  for (const { file, line, change } of obsolete)
    console.log(
      `\nlib/${file} has no such change, or a test notices it: delete its explanation\n  line: ${line}\n  change: ${change}`,
    )
  keepScores(scores)
  console.log()
  for (const [file, { changes, noticed, explained }] of Object.entries(scores))
    console.log(
      `${file}: ${changes} changes, ${noticed} noticed, ${explained} explained, ${changes - noticed - explained} open`,
    )
  if (open.length + obsolete.length > 0) process.exitCode = 1
}
