import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { corpusFile } from './corpus.ts'
import { differences } from './flux/differences.ts'
import { drivers } from './flux/drivers.ts'
import { scenariosBelow } from './flux/scenario.ts'

/** A numbered statement of the checklist: `KS-024`. */
export interface ChecklistItem {
  readonly number: string
  readonly statement: string
}

/** A page of the checklist, with the file's name without its ending. */
export interface ChecklistPage {
  readonly name: string
  readonly items: readonly ChecklistItem[]
}

const item = /^- ([A-Z]{2}-\d{3}) (.+)$/gm

export const checklistPages = (directory: string): ChecklistPage[] =>
  readdirSync(directory)
    .filter(file => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map(file => ({
      name: file.replace(/\.md$/, ''),
      items: [...readFileSync(join(directory, file), 'utf8').matchAll(item)].map(([, number, statement]) => ({
        number: number!,
        statement: statement!,
      })),
    }))

/**
 * What shows an item true: the path of a test whose titles carry its number, or `recordings of flux/<area>` where a recorded
 * scenario is replayed (`npm run conformance -- flux`) and comes out as recorded.
 */
export const provenBy = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  for (const [number, prover] of [...numbersInTitles(), ...numbersReplayed(corpusFile('flux'))]) {
    const provers = found.get(number) ?? new Set()
    found.set(number, provers.add(prover))
  }
  return found
}

const root = join(import.meta.dirname, '../..')

/** Comments, and texts of all three kinds of quotes. */
const token = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

/** Numbers in the texts of test files, and of stories that one of them tells: titles, and the rows of tables that make titles. Comments don't count. */
function* numbersInTitles(): Generator<readonly [string, string]> {
  for (const file of globSync(['test/**/*.test.ts', 'test/**/stories/*.ts'], { cwd: root }).sort())
    for (const [text] of readFileSync(join(root, file), 'utf8').matchAll(token))
      if (!text.startsWith('/')) for (const [number] of text.matchAll(/\b[A-Z]{2}-\d{3}\b/g)) yield [number, file]
}

function* numbersReplayed(directory: string): Generator<readonly [string, string]> {
  if (!existsSync(directory)) return
  for (const scenario of scenariosBelow(directory)) {
    const driver = drivers[scenario.area]
    if (!driver || driver.cannotReplay(scenario) || scenario.id in differences) continue
    for (const number of scenario.checklist ?? []) yield [number, `recordings of flux/${scenario.area}`]
  }
}
