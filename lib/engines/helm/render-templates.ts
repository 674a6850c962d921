import { compareBytes } from '../../foundations/go/compare-text.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { Limits } from '../template/evaluate/run.ts'
import { newTemplateGroup, type TemplateCache } from '../template/template.ts'
import { type FunctionMap, NamedMap, type Value } from '../template/values/value.ts'
import { executionError, parseError } from './render-errors.ts'
import { isPartial, type ScopedTemplate } from './render-values.ts'

export interface TemplateSettings {
  readonly functions: FunctionMap
  /** Keeps what templates were parsed to, for whoever renders with the same functions again. */
  readonly cache?: TemplateCache
  /** Of the run of each template. */
  readonly limits?: Partial<Limits>
  readonly calls?: ReadonlyMap<string, (...args: Value[]) => Value>
}

/**
 * Renders all templates that are no partials, and gives the texts by path. All are parsed first, the deepest paths before the others,
 * so that what a parent defines wins over what its subcharts do. Throws RenderError.
 */
export const renderTemplates = (
  templates: ReadonlyMap<string, ScopedTemplate>,
  { functions, cache, ...run }: TemplateSettings,
): Map<string, string> => {
  const group = newTemplateGroup('gotpl', { functions, missingKey: 'zero', ...(cache && { cache }) })
  const paths = deepestFirst([...templates.keys()])
  for (const path of paths) {
    try {
      group.add(path, templates.get(path)!.text)
    } catch (error) {
      throw parseError(path, errorMessage(error), error)
    }
  }
  const rendered = new Map<string, string>()
  for (const path of paths) {
    if (isPartial(path)) continue
    const { scope, basePath } = templates.get(path)!
    scope.set(
      'Template',
      new NamedMap('common.Values', [
        ['Name', path],
        ['BasePath', basePath],
      ]),
    )
    try {
      rendered.set(path, group.executeTemplate(path, scope, run).replaceAll('<no value>', ''))
    } catch (error) {
      throw executionError(error)
    }
  }
  return rendered
}

const deepestFirst = (paths: readonly string[]): string[] => {
  const depth = (path: string) => path.split('/').length
  return paths.toSorted((a, b) => depth(b) - depth(a) || compareBytes(b, a))
}
