/**
 * npm run docs [-- NAME...]
 *
 * Makes the generated documents anew, all or those of the named generators (generators.ts), and prints the paths of those that changed.
 *
 * npm run docs -- site [--out FOLDER] [--base PATH] [--version TEXT]
 *
 * Builds the documentation as a static site (.ci/site.ts).
 *
 * npm run docs -- --rooms-of REVISION
 *
 * Prints the picture of the rooms as they were at a revision: to see what a redesign has changed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { roomsOf, sourcesOf } from './generators/rooms.ts'
import { generators } from './generators.ts'
import { staleDocuments } from './stale-documents.ts'

const root = join(import.meta.dirname, '../..')
const asked = process.argv.slice(2)
if (asked[0] === '--rooms-of') {
  console.log(roomsOf(sourcesOf(root, asked[1] ?? 'HEAD')))
  process.exit()
}
if (asked[0] === 'site') {
  const [, ...flags] = asked
  process.exit(spawnSync(process.execPath, [join(root, '.ci/site.ts'), ...flags], { stdio: 'inherit' }).status ?? 1)
}
const names = generators.map(({ name }) => name)
const unknown = asked.filter(name => !names.includes(name))
if (unknown.length > 0) {
  console.error(`no such generator: ${unknown.join(', ')}. There are ${names.join(', ')}`)
  process.exit(2)
}
for (const generator of generators.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  const reason = generator.cannotRun?.()
  if (reason) {
    console.error(`${generator.name}: left as it is: ${reason}`)
    continue
  }
  for (const { path, content } of await staleDocuments(generator, root)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    console.log(path)
  }
}
