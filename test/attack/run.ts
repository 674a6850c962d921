/**
 * npm run attack [-- CLASS...]
 *
 * Tries every attempt of the named classes, or of all, on a hub in a process of its own, and prints a table of what was tried and what
 * held. The exit code is 1 when an attempt got through, 2 for a class that there is not.
 */
import { table } from '../bench/table.ts'
import { outcomesOf } from './attack.ts'
import { attackClasses } from './classes/all.ts'
import { innerWords } from './inner-words.ts'
import { startAttackWorld } from './world.ts'

const asked = process.argv.slice(2)
const unknown = asked.filter(name => !attackClasses.some(known => known.name === name))
if (unknown.length > 0) {
  console.error(
    `no such class: ${unknown.join(', ')}. The classes are ${attackClasses.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}

const rows: (string | number)[][] = []
await using world = await startAttackWorld()
for (const each of attackClasses.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  let tried = 0
  let held = 0
  for await (const { title, breach } of outcomesOf(each, world)) {
    tried++
    if (breach === undefined) held++
    else console.log(`✖ ${each.name}: ${title}\n  ${breach.replaceAll('\n', '\n  ')}\n`)
  }
  rows.push([each.name, tried, held])
}
const shown = await innerWords(world.admin)
for (const words of shown) console.log(`✖ the insides of the hub are shown: ${words}\n`)
const total = (column: number): number => rows.reduce((sum, row) => sum + (row[column] as number), 0)
const [tried, held] = [total(1), total(2)]
console.log(table(['CLASS', 'TRIED', 'HELD'], [...rows, ['all', tried, held]]))
process.exitCode = held < tried || tried === 0 || shown.length > 0 ? 1 : 0
