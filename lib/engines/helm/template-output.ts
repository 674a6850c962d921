import { compileGlob } from '../ignore/glob.ts'
import { textOf as fileText } from '../template/values/text.ts'
import { HelmError } from './helm-error.ts'
import type { RenderedChart } from './render-chart.ts'
import { splitManifests } from './split-manifests.ts'

export interface OutputOptions {
  readonly includeCrds?: boolean
  readonly noHooks?: boolean
  readonly skipTests?: boolean
  /** Patterns of template paths within the chart: only matches are printed. */
  readonly showOnly?: readonly string[]
}

/** A document of the output and its template. */
export interface TemplateFile {
  readonly path: string
  readonly text: string
}

/** The output of `helm template`. Throws HelmError if a pattern to show matches no template. */
export const templateOutput = (rendered: RenderedChart, options: OutputOptions = {}): string => {
  const { main, hooks } = sections(rendered, options)
  const text = `${textOf(main).trim()}\n${textOf(hooks)}`
  return options.showOnly?.length ? onlyShown(text, options.showOnly) : text
}

/** The output of `helm template`, one text per template. */
export const templateFiles = (rendered: RenderedChart, options: OutputOptions = {}): readonly TemplateFile[] => {
  const { main, hooks } = sections(rendered, options)
  return [...main, ...hooks]
}

const sections = (
  { manifests, hooks, crds }: RenderedChart,
  { includeCrds = false, noHooks = false, skipTests = false }: OutputOptions,
): { readonly main: readonly TemplateFile[]; readonly hooks: readonly TemplateFile[] } => {
  const shown = noHooks ? [] : hooks.filter(({ events }) => !skipTests || !events.includes('test'))
  return {
    main: [
      ...(includeCrds ? crds.map(({ name, data }) => section(name, fileText(data))) : []),
      ...manifests.map(({ path, content }) => section(path, content)),
    ],
    hooks: shown.map(({ path, content }) => section(path, content)),
  }
}

const textOf = (files: readonly TemplateFile[]): string => files.map(({ text }) => text).join('')

const section = (path: string, content: string): TemplateFile => ({
  path,
  text: `---\n# Source: ${path}\n${content}\n`,
})

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
