import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { recordedReleases } from '../cluster/recorded.ts'
import { corpusFile } from './corpus.ts'
import { differences } from './flux/differences.ts'
import { drivers } from './flux/drivers.ts'
import { openStories } from './flux/open-stories.ts'
import { scenariosBelow } from './flux/scenario.ts'

/** A page of statements in docs/checklist. */
export interface ChecklistPage {
  /** File name, as `kustomization.md`. */
  readonly file: string
  readonly title: string
  readonly statements: readonly Statement[]
}

export interface Statement {
  /** As `KS-024`. */
  readonly id: string
  readonly text: string
}

const root = join(import.meta.dirname, '../..')

export const checklistPages = (): ChecklistPage[] =>
  globSync('docs/checklist/*.md', { cwd: root })
    .sort()
    .map(path => parsePage(basename(path), readFileSync(join(root, path), 'utf8')))

const parsePage = (file: string, page: string): ChecklistPage => ({
  file,
  title: page.match(/^# (.+)$/m)?.[1] ?? file,
  statements: [...page.matchAll(/^- \*\*([A-Z]{2}-\d{3})\*\* (.+)$/gm)].map(([, id = '', text = '']) => ({ id, text })),
})

/** Ids of statements by the path of the test file whose titles carry them. Ranges (`KS-031..037`) are expanded. */
export const idsByTest = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const files = globSync(['test/**/*.test.ts', 'test/**/stories/*.ts'], { cwd: root }).sort()
  return new Map(files.map(file => [file, new Set(idsInTitles(readFileSync(join(root, file), 'utf8')))]))
}

/** Comments, and strings of all three kinds of quotes. */
const token = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

/** The ids in a file's strings: titles, and the rows of tables that make titles. Comments don't count. */
export const idsInTitles = (source: string): string[] =>
  (source.match(token) ?? [])
    .filter(text => !text.startsWith('/'))
    .flatMap(text => [...text.matchAll(/\b([A-Z]{2})-(\d{3})(?:\.\.(\d{3}))?\b/g)])
    .flatMap(([, kind, first, last = first]) =>
      Array.from({ length: Math.max(Number(last) - Number(first) + 1, 0) }, (_, at) => idOf(kind!, Number(first) + at)),
    )

const idOf = (kind: string, number: number): string => `${kind}-${String(number).padStart(3, '0')}`

/** Ids by the area of Flux's recordings (`npm run conformance -- flux helmrelease`) that show them. */
export type RecordedIds = Readonly<Record<string, readonly string[]>>

/** Where the recorded ids are kept, so that the checklist is the same without the recordings. */
export const recordedIdsFile = 'test/conformance/flux/recorded-ids.json'

/** The ids of all scenarios that come out as recorded: read from the recordings, or where they are absent from the file. */
export const recordedIds = (
  directories = [corpusFile('flux'), corpusFile('helmrelease'), recordedReleases],
): RecordedIds => {
  if (!directories.every(directory => existsSync(directory)))
    return JSON.parse(readFileSync(join(root, recordedIdsFile), 'utf8')) as RecordedIds
  const areas = new Map<string, Set<string>>()
  for (const scenario of directories.flatMap(scenariosBelow)) {
    const { area, checklist = [] } = scenario
    const driver = drivers[area]
    if (!driver || driver.cannotReplay(scenario) || scenario.id in { ...differences, ...openStories }) continue
    areas.set(area, new Set([...(areas.get(area) ?? []), ...checklist]))
  }
  const sorted = [...areas].map(([area, ids]) => [area, [...ids].sort()] as const)
  return Object.fromEntries(sorted.filter(([, ids]) => ids.length > 0).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What shows a statement, by its id: paths of test files, and `recordings of <area>`. */
export const shownBy = (): ReadonlyMap<string, readonly string[]> => {
  const recordings = Object.entries(recordedIds()).map(([area, ids]) => [`recordings of ${area}`, ids] as const)
  const found = new Map<string, string[]>()
  for (const [shower, ids] of [...idsByTest(), ...recordings])
    for (const id of ids) found.set(id, [...(found.get(id) ?? []), shower])
  return found
}
