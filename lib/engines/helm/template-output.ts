import { compileGlob } from '../ignore/glob.ts'
import { HelmError } from './helm-error.ts'
import type { RenderedChart } from './render-chart.ts'
import { splitManifests } from './split-manifests.ts'

export interface OutputOptions {
  readonly includeCrds?: boolean
  readonly noHooks?: boolean
  readonly skipTests?: boolean
  /** Patterns of paths below the chart: only what they match is printed. */
  readonly showOnly?: readonly string[]
}

/** What `helm template` prints of a chart. Throws HelmError when a path to show is of no template. */
export const templateOutput = (
  { manifests, hooks, crds }: RenderedChart,
  { includeCrds = false, noHooks = false, skipTests = false, showOnly = [] }: OutputOptions = {},
): string => {
  const main = [
    ...(includeCrds ? crds.map(({ name, data }) => section(name, Buffer.from(data).toString('utf8'))) : []),
    ...manifests.map(({ path, content }) => section(path, content)),
  ]
  const shown = noHooks ? [] : hooks.filter(({ events }) => !skipTests || !events.includes('test'))
  const text = `${main.join('').trim()}\n${shown.map(({ path, content }) => section(path, content)).join('')}`
  return showOnly.length === 0 ? text : onlyShown(text, showOnly)
}

const section = (path: string, content: string): string => `---\n# Source: ${path}\n${content}\n`

const onlyShown = (text: string, patterns: readonly string[]): string => {
  const documents = splitManifests(text).map(document => ({
    document,
    path: /# Source: [^/\n]+\/(.+)/.exec(document)?.[1],
  }))
  return patterns
    .flatMap(pattern => {
      const matches = pathPattern(pattern)
      const found = documents.filter(({ path }) => path !== undefined && matches(path))
      if (found.length === 0) throw new HelmError(`could not find template ${pattern} in chart`)
      return found.map(({ document }) => `---\n${document}\n`)
    })
    .join('')
}

/** Go's filepath.Match, part by part of the path. */
const pathPattern = (pattern: string): ((path: string) => boolean) => {
  const parts = pattern.split('/').map(compileGlob)
  return path => {
    const names = path.split('/')
    return names.length === parts.length && parts.every((matches, i) => matches(names[i]!))
  }
}
