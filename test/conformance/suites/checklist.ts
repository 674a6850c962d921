import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { differences } from '../flux/differences.ts'
import { drivers } from '../flux/drivers.ts'
import { scenariosBelow } from '../flux/scenario.ts'
import type { ConformanceSuite } from '../suite.ts'

/**
 * Every numbered statement of the checklist has a test whose title carries the number, or a recorded scenario that is
 * replayed (`npm run conformance -- flux`) and comes out as recorded. Passed = covered.
 */
export const suite: ConformanceSuite = {
  folder: '../checklist',
  slow: true,
  *run(directory) {
    const covered = new Set([...numbersInTitles(), ...numbersReplayed(join(directory, '../conformance/flux'))])
    for (const file of readdirSync(directory).sort())
      for (const [, number, statement] of readFileSync(join(directory, file), 'utf8').matchAll(item))
        yield { name: `${number} ${statement}`, ...(!covered.has(number!) && { problem: '  no test' }) }
  },
}

const item = /^- ([A-Z]{2}-\d{3}) (.+)$/gm

const root = join(import.meta.dirname, '../../..')

/** Comments, and texts of all three kinds of quotes. */
const token = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

/** Numbers in the texts of test files: titles, and the rows of tables that make titles. Comments don't count. */
function* numbersInTitles(): Generator<string> {
  for (const file of globSync('test/**/*.test.ts', { cwd: root }))
    for (const [text] of readFileSync(join(root, file), 'utf8').matchAll(token))
      if (!text.startsWith('/')) for (const [number] of text.matchAll(/\b[A-Z]{2}-\d{3}\b/g)) yield number
}

function* numbersReplayed(directory: string): Generator<string> {
  if (!existsSync(directory)) return
  for (const scenario of scenariosBelow(directory)) {
    const driver = drivers[scenario.area]
    if (driver && !driver.cannotReplay(scenario) && !(scenario.id in differences)) yield* scenario.checklist ?? []
  }
}
