import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { parse } from 'yaml'

/** A chart of a repository, as it lies there. */
export interface FoundChart {
  /** The folder of its repository. */
  readonly repository: string
  /** Below that. */
  readonly path: string
  readonly folder: string
  readonly name: string
  readonly version: string
  readonly dependencies: readonly Dependency[]
}

export interface Dependency {
  readonly name: string
  readonly version: string
  /** Where it is from; `file://...` for a neighbour. */
  readonly repository: string
}

/** The charts of all repositories below a folder; charts that lie in another chart are parts of that one. */
export const foundCharts = (root: string): readonly FoundChart[] => {
  const folders = globSync('*/**/Chart.yaml', { cwd: root }).map(dirname).sort()
  const all = new Set(folders)
  const isInside = (folder: string): boolean => {
    const parent = dirname(folder)
    return parent !== '.' && (all.has(parent) || isInside(parent))
  }
  return folders.filter(folder => !isInside(folder)).map(folder => foundChart(root, folder))
}

const foundChart = (root: string, path: string): FoundChart => {
  const [repository = '', ...below] = path.split(sep)
  const folder = join(root, path)
  const { name, version, dependencies } = readMap(join(folder, 'Chart.yaml'))
  const listed = dependencies ?? readMap(join(folder, 'requirements.yaml')).dependencies
  return {
    ...{ repository, folder, path: below.join('/'), name: text(name), version: text(version) },
    dependencies: (Array.isArray(listed) ? listed : []).map(one => ({
      name: text(one?.name),
      version: text(one?.version),
      repository: text(one?.repository),
    })),
  }
}

const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

/** What can't be read is empty here: Helm says what it thinks of it. */
export const readMap = (file: string): Record<string, unknown> => {
  if (!existsSync(file)) return {}
  try {
    const value: unknown = parse(readFileSync(file, 'utf8'), { logLevel: 'silent', uniqueKeys: false })
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}
