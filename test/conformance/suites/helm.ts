import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { loadChart } from '../../../lib/sources/helm/chart.ts'
import { filesInArchive } from '../../../lib/sources/helm/chart-archive.ts'
import { filesInFolder } from '../../../lib/sources/helm/chart-folder.ts'
import { parseIndex, writeIndex } from '../../../lib/sources/helm/index-file.ts'
import { InvalidChart } from '../../../lib/sources/helm/invalid-chart.ts'
import { packageChart } from '../../../lib/sources/helm/package-chart.ts'
import { jsonLines } from '../json-lines.ts'
import { type CaseResult, type ConformanceSuite, difference } from '../suite.ts'

/** Recorded from `helm package` 4. */
interface Case {
  readonly id: string
  readonly files: Readonly<Record<string, string>>
  readonly flags: readonly string[]
  readonly helm4:
    | { readonly error: string }
    | { readonly file: string; readonly entries: readonly Entry[]; readonly chartYaml: string }
}

interface Entry {
  readonly name: string
  readonly size: number
  readonly mode: string
  readonly sha256: string
}

export const suite: ConformanceSuite = {
  folder: 'helm',
  *cases(directory) {
    for (const one of jsonLines<Case>(join(directory, 'package.jsonl')))
      yield async () => ({ name: one.id, ...problemOf(await packed(one), recorded(one)) })
  },
  parts: [
    function* indexes(directory) {
      const fixtures = join(directory, 'index-fixtures')
      for (const file of readdirSync(fixtures))
        if (file !== 'charts') yield () => readsIndex(join(fixtures, file), file)
    },
    function* charts(directory) {
      const fixtures = join(directory, 'index-fixtures', 'charts')
      for (const file of readdirSync(fixtures))
        if (file.endsWith('.tgz')) yield () => readsChart(join(fixtures, file), file)
    },
  ],
}

const problemOf = (actual: unknown, expected: unknown): Pick<CaseResult, 'problem'> => {
  const problem = difference(JSON.stringify(actual, null, 1), JSON.stringify(expected, null, 1))
  return problem === undefined ? {} : { problem }
}

const recorded = ({ helm4 }: Case) =>
  'error' in helm4 ? 'an error' : { file: helm4.file, entries: helm4.entries, chartYaml: helm4.chartYaml }

const packed = async ({ files, flags }: Case) => {
  const tree = new Map(
    Object.entries(files).map(([path, text]) => [path, { content: Buffer.from(text, 'utf8'), executable: false }]),
  )
  try {
    const chart = await loadChart(filesInFolder(tree, ''))
    const metadata = { ...chart.metadata, ...overridden(flags) }
    const { content } = await packageChart({ ...chart, metadata })
    const archive = await unpackTar(gunzipSync(content))
    return {
      file: `${metadata.name}-${metadata.version}.tgz`,
      entries: archive.map(({ header, data }) => ({
        name: header.name,
        size: data!.length,
        mode: `0o${header.mode!.toString(8)}`,
        sha256: createHash('sha256').update(data!).digest('hex'),
      })),
      chartYaml: Buffer.from(archive[0]!.data!).toString('utf8'),
    }
  } catch {
    return 'an error'
  }
}

const overridden = (flags: readonly string[]): Record<string, string> => {
  const fields: Record<string, string> = { '--version': 'version', '--app-version': 'appVersion' }
  return Object.fromEntries(
    flags.flatMap((flag, index) => (fields[flag] ? [[fields[flag], flags[index + 1]!]] : [])),
  ) as Record<string, string>
}

/** What is read from an index is the same when it is read again from what is stored of it. */
const readsIndex = (file: string, name: string): CaseResult => {
  const index = parseIndex(readFileSync(file))
  if (index.entries.size === 0) return { name, problem: 'no charts were found' }
  const problem = difference(writeIndex(parseIndex(Buffer.from(writeIndex(index)))), writeIndex(index))
  return { name, ...(problem !== undefined && { problem }) }
}

/** The charts beside the indexes: all but those that are made to be refused. */
const readsChart = async (file: string, name: string): Promise<CaseResult> => {
  const expected = /empty|badname/.test(name) ? 'refused' : 'read'
  const actual = await filesInArchive(readFileSync(file))
    .then(files => loadChart(files))
    .then(
      () => 'read',
      error => (error instanceof InvalidChart ? 'refused' : String(error)),
    )
  return { name, ...problemOf(actual, expected) }
}
