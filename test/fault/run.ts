/**
 * npm run fault [-- WORD...]
 *
 * Plays every fault whose name has one of the words, or all of them, each to a hub in a process of its own, and prints a table of what
 * went wrong and what the hub did about it. The exit code is 1 when a hub lied, lost something or did not recover.
 */
import { table } from '../bench/table.ts'
import { play, whyNot } from './fault.ts'
import { faults } from './faults/all.ts'

const words = process.argv.slice(2)
const chosen = faults.filter(({ name }) => words.length === 0 || words.some(word => name.includes(word)))
const rows: string[][] = []
let lied = 0
for (const fault of chosen) {
  const skipped = whyNot(fault)
  if (skipped !== undefined) {
    rows.push([fault.name, `not played: ${skipped}`])
    continue
  }
  try {
    rows.push([fault.name, await play(fault)])
  } catch (error) {
    lied++
    rows.push([fault.name, '✖ see above'])
    console.log(`✖ ${fault.name}\n  ${(error as Error).message.replaceAll('\n', '\n  ')}\n`)
  }
}
console.log(table(['FAULT', 'WHAT THE HUB DID'], rows))
if (chosen.length === 0) console.error(`no fault has a name with ${words.join(' or ')}`)
process.exitCode = lied > 0 || chosen.length === 0 ? 1 : 0
